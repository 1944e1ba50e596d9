import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NamedEntity } from '../../../store/tables/knowledge/entities.js'
import type { Ground } from '../ground.js'
import { isGenericName, isLowSignal } from './low-signal.js'
import { nameKey, nameWords, runsAt } from './name-key.js'

/** Characters to fold and words to look up before other work gets its turn. */
const sliceCharacters = 10_000
const sliceWords = 250

/** Nouns that people leave out: `the scheduler` for the scheduler service. */
const partNouns = 'service app component package library module repository repo team'.split(' ')
/** Nouns that the names of packages with a scope may have in front. */
const packageNouns = ['package', 'library', 'module']
/** Longest text and numbers of words looked up; whoever pastes a log names nothing by the way. */
const most = { text: 20_000, things: 60, people: 10, alike: 5 }

const thing =
  /\b(?:the|our|my|this|that|of|for|in|on|to|from|with)\s+((?:\p{Ll}[\p{L}\p{N}]+[- ])?\p{L}[\p{L}\p{N}]+)(?:['’]s)?/giu
const scoped = /@[\w-]+\/[\w.-]*\w/gu
const capitalised = /(?<![\p{L}\p{N}@/._-])\p{Lu}\p{Ll}+(?![\p{L}\p{N}@/_-]|\.\w)/gu

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

/**
 * Finds entities that a text names by a part of their name, if only one entity may be meant: things without
 * their noun (`the scheduler`), people by first name, and packages with a scope.
 */
export async function findShortNames(
  { store }: Pick<Ground, 'store'>,
  agentId: string,
  text: string,
): Promise<NamedEntity[]> {
  const { entities } = store.tables
  const read = text.slice(0, most.text)
  const found = new Map<string, NamedEntity>()
  const keys = keysOfThings(read)
  const named = keys.size > 0 ? await entities.named(agentId, [...keys.keys()]) : []
  for (const base of new Set(keys.values()))
    noteOnly(
      found,
      named.filter(({ name_key }) => keys.get(name_key) === base),
    )
  const first = [...new Set([...read.matchAll(capitalised)].map(([word]) => nameKey(word)))]
  const people = first.slice(0, most.people).filter(word => !isGenericName(word) && !isLowSignal(word))
  const alike = await Promise.all(people.map(word => entities.beginning(agentId, `${word} `, '', most.alike)))
  for (const some of alike)
    noteOnly(
      found,
      some.filter(({ entity_type }) => entity_type === 'person'),
    )
  return [...found.values()]
}

/** Returns the only entity that a bare name may mean, as somebody types it after `memory about`. */
export async function onlyNamed(
  deps: Pick<Ground, 'store'>,
  agentId: string,
  name: string,
): Promise<NamedEntity | undefined> {
  const bare = name.trim().replace(/['’]s$/u, '')
  const sentence = `the ${bare} ${bare.replace(/^\p{Ll}/u, letter => letter.toUpperCase())}`
  const [only, other] = await findShortNames(deps, agentId, sentence)
  return only && !other ? only : undefined
}

function noteOnly(found: Map<string, NamedEntity>, alike: readonly NamedEntity[]): void {
  const [one] = alike
  if (one && alike.every(({ id }) => id === one.id)) found.set(one.id, one)
}

/** Names that the text may mean, each with the words that it uses for them. */
function keysOfThings(text: string): Map<string, string> {
  const keys = new Map<string, string>()
  const add = (base: string, key: string): void => {
    if (!isGenericName(base) && !isLowSignal(base) && !keys.has(key)) keys.set(key, base)
  }
  for (const [name] of text.matchAll(scoped))
    for (const noun of packageNouns) add(nameKey(name), `${noun} ${nameKey(name)}`)
  for (const [, given = ''] of [...text.matchAll(thing)].slice(0, most.things)) {
    const words = nameWords(given)
    const bases = [words.join(' '), words[0] ?? ''].flatMap(base => [base, base.replace(/s$/u, '')])
    for (const base of new Set(bases)) for (const noun of partNouns) add(base, `${base} ${noun}`)
  }
  return keys
}
