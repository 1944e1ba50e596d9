import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NamedEntity } from '../../../store/tables/knowledge/entities.js'
import type { Ground } from '../ground.js'
import { nameWords, runsAt } from './name-key.js'

/** Characters to fold and words to look up before other work gets its turn. */
const sliceCharacters = 10_000
const sliceWords = 250

/**
 * Finds an agent's entities named in a text by whole words (name or active alias), in the order of the text.
 * The cost depends on the text, not on the number of entities. Words that begin a name are looked up first,
 * then every run of up to six words from there.
 * @param limit maximum number of entities.
 */
export async function findNamedEntities(
  { store }: Pick<Ground, 'store'>,
  agentId: string,
  text: string,
  limit: number,
): Promise<NamedEntity[]> {
  const { entities } = store.tables
  const words = await wordsInSlices(text)
  const beginnings = new Set<string>()
  const distinct = [...new Set(words)]
  for (let from = 0; from < distinct.length; from += sliceWords) {
    const some = distinct.slice(from, from + sliceWords)
    for (const word of await entities.beginningNames(agentId, some)) beginnings.add(word)
    await nextTurn()
  }
  if (beginnings.size === 0) return []
  const found = new Map<string, NamedEntity>()
  const looked = new Set<string>()
  for (let from = 0; from < words.length && found.size < limit; from += sliceWords) {
    const keys = runsFrom(words, beginnings, from).filter(key => !looked.has(key))
    for (const key of keys) looked.add(key)
    const named = keys.length > 0 ? await entities.named(agentId, [...new Set(keys)]) : []
    for (const entity of named) if (!found.has(entity.id)) found.set(entity.id, entity)
    await nextTurn()
  }
  return [...found.values()].slice(0, limit)
}

async function wordsInSlices(text: string): Promise<string[]> {
  const words: string[] = []
  for (let from = 0; from < text.length; ) {
    const space = text.indexOf(' ', from + sliceCharacters)
    // A slice ends at a space, unless the text has none nearby.
    const end = space < 0 || space > from + 2 * sliceCharacters ? from + 2 * sliceCharacters : space
    words.push(...nameWords(text.slice(from, end)))
    from = end
    await nextTurn()
  }
  return words
}

/** Every run of words that starts in this slice and may be a name. */
function runsFrom(words: readonly string[], beginnings: ReadonlySet<string>, from: number): string[] {
  return words
    .slice(from, from + sliceWords)
    .flatMap((word, offset) => (beginnings.has(word) ? runsAt(words, from + offset) : []))
}
