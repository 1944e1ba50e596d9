import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NamedEntity } from '../../../store/tables/knowledge/entities.js'
import type { Ground } from '../ground.js'
import { nameWords, runsAt } from './name-key.js'

/** Characters that are folded, and words that are looked up, before other work gets its turn. */
const sliceCharacters = 10_000
const sliceWords = 250

/**
 * The entities of an agent that a text names in whole words, by name or active alias, in the order of the text. However
 * many entities there are, only the words of the text are looked up: first which of them begin a name, then every run
 * of up to six words from there.
 * @param limit entities at most.
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
    // A slice ends between words, unless a text has no spaces.
    const end = space < 0 || space > from + 2 * sliceCharacters ? from + 2 * sliceCharacters : space
    words.push(...nameWords(text.slice(from, end)))
    from = end
    await nextTurn()
  }
  return words
}

/** Every run of words that begins at one of a slice's words and may be a name. */
function runsFrom(words: readonly string[], beginnings: ReadonlySet<string>, from: number): string[] {
  return words
    .slice(from, from + sliceWords)
    .flatMap((word, offset) => (beginnings.has(word) ? runsAt(words, from + offset) : []))
}
