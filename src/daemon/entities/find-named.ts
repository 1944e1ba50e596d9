import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NamedEntity } from '../../store/tables/entities.js'
import type { Daemon } from '../daemon.js'
import { maxNameWords, nameWords } from './name-key.js'

/** Characters that are folded, and keys that are looked up, before other work gets its turn. */
const sliceCharacters = 20_000
const sliceKeys = 2000

/**
 * The entities of an agent that a text names in whole words, by name or active alias, in the order of the text. However
 * many entities there are, only the words of the text are looked up: first which of them begin a name, then every run
 * of up to six words from there.
 * @param limit entities at most.
 */
export async function findNamedEntities(
  { store }: Pick<Daemon, 'store'>,
  agentId: string,
  text: string,
  limit: number,
): Promise<NamedEntity[]> {
  const { entities } = store.tables
  const words = await wordsInSlices(text)
  const beginnings = new Set<string>()
  for (const some of slices([...new Set(words)])) {
    for (const word of await entities.beginningNames(agentId, some)) beginnings.add(word)
    await nextTurn()
  }
  const found = new Map<string, NamedEntity>()
  for (const keys of slices([...runsFrom(words, beginnings)])) {
    const order = new Map(keys.map((key, position) => [key, position]))
    const named = await entities.named(agentId, keys)
    named.sort((a, b) => (order.get(a.name_key) ?? 0) - (order.get(b.name_key) ?? 0))
    for (const entity of named) if (!found.has(entity.id)) found.set(entity.id, entity)
    if (found.size >= limit) break
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

function runsFrom(words: readonly string[], beginnings: ReadonlySet<string>): Set<string> {
  const runs = new Set<string>()
  words.forEach((word, position) => {
    if (!beginnings.has(word)) return
    let run = word
    runs.add(run)
    for (const next of words.slice(position + 1, position + maxNameWords)) {
      run += ` ${next}`
      runs.add(run)
    }
  })
  return runs
}

function* slices(values: readonly string[]): Generator<string[]> {
  for (let from = 0; from < values.length; from += sliceKeys) yield values.slice(from, from + sliceKeys)
}
