import type { NamedEntity } from '../../../store/tables/knowledge/entities.js'
import type { Ground } from '../ground.js'
import { isGenericName } from './generic-name.js'
import { isLowSignal } from './low-signal.js'
import { nameKey, nameWords } from './name-key.js'

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
