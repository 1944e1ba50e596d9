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
 * @param asTyped also accepts names as people type them: singular or plural, as one word, in camel case.
 */
export async function findNamedEntities(
  { store }: Pick<Ground, 'store'>,
  agentId: string,
  text: string,
  limit: number,
  { asTyped = false }: { asTyped?: boolean } = {},
): Promise<NamedEntity[]> {
  const { entities } = store.tables
  const words = await wordsInSlices(asTyped ? withSplitWords(text) : text)
  const beginnings = new Set<string>()
  const variants = asTyped
    ? words.flatMap((word, at) => [...formsOf(word), word + (words[at + 1] ?? '')])
    : []
  const distinct = [...new Set([...words, ...variants])]
  for (let from = 0; from < distinct.length; from += sliceWords) {
    const some = distinct.slice(from, from + sliceWords)
    for (const word of await entities.beginningNames(agentId, some)) beginnings.add(word)
    await nextTurn()
  }
  if (beginnings.size === 0) return []
  const found = new Map<string, NamedEntity>()
  const looked = new Set<string>()
  for (let from = 0; from < words.length && found.size < limit; from += sliceWords) {
    const runs = runsFrom(words, beginnings, from)
    const others = asTyped ? typedRuns(words, { beginnings, runs, from }) : []
    const keys = [...runs, ...others].filter(key => !looked.has(key))
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

const shortestPlural = 4
const shortestJoined = 5

/** The singular and plural forms of an English word. */
function formsOf(word: string): string[] {
  if (word.length < shortestPlural || word.endsWith('ss')) return []
  if (!word.endsWith('s')) return [`${word}s`]
  const singular = [word.slice(0, -1)]
  if (word.endsWith('ies')) singular.push(`${word.slice(0, -3)}y`)
  if (word.endsWith('es')) singular.push(word.slice(0, -2))
  return singular
}

/** Names that a slice contains in another form: the last word singular or plural, or two words as one. */
function typedRuns(
  words: readonly string[],
  { beginnings, runs, from }: { beginnings: ReadonlySet<string>; runs: readonly string[]; from: number },
): string[] {
  const inOtherForm = runs.flatMap(run => {
    const at = run.lastIndexOf(' ') + 1
    return formsOf(run.slice(at)).map(form => run.slice(0, at) + form)
  })
  const single = words.slice(from, from + sliceWords).flatMap((word, offset) => {
    const joined = word + (words[from + offset + 1] ?? '')
    const forms = joined.length >= shortestJoined ? [...formsOf(word), joined] : formsOf(word)
    return forms.filter(form => beginnings.has(form))
  })
  return [...inOtherForm, ...single]
}

/** Longest text whose words in camel case are split; longer ones are pasted code. */
const maxSplitText = 20_000

/** Adds the words of names in camel case behind the text: `BillingService` also names the billing service. */
function withSplitWords(text: string): string {
  if (text.length > maxSplitText) return text
  const split = [...text.matchAll(/\b\p{L}+\p{Ll}\p{Lu}\p{L}*/gu)].map(([found]) =>
    found.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '),
  )
  // The sign between keeps words of two names apart.
  return [text, ...split].join(' \u00b7 ')
}
