import type { Fact, NamedThing, ReadingContext } from '../../../ground/reading/reading.js'
import { isBelievable } from '../../../ground/reading/syntax/believable.js'
import { yamlFields } from '../../../ground/text/yaml-fields.js'

/** Longer front matter is not parsed, because the YAML parser would block the event loop. */
const maxFrontMatter = 8192
const maxLinks = 20
const maxAliasCount = 20
const maxValue = 160

/** Fields for people, with the role and the relation of the person. */
const roles: Readonly<Record<string, readonly [role: string, relation: string]>> = {
  owner: ['owner', 'owns'],
  owners: ['owner', 'owns'],
  maintainer: ['maintainer', 'maintains'],
  maintainers: ['maintainer', 'maintains'],
  lead: ['lead', 'leads'],
  contact: ['contact', 'contact for'],
  reviewer: ['reviewer', 'reviews'],
}
/** Fields with a value, and their aspect. */
const values: Readonly<Record<string, string>> = {
  status: 'state',
  version: 'versions',
  url: 'network',
  port: 'network',
  repository: 'network',
  repo: 'network',
  language: 'facts',
  licence: 'facts',
  license: 'facts',
  region: 'deployment',
}
const relations: Readonly<Record<string, string>> = {
  depends_on: 'depends on',
  'depends-on': 'depends on',
  dependencies: 'depends on',
  uses: 'uses',
  part_of: 'part of',
  'part-of': 'part of',
  replaced_by: 'replaced by',
  'replaced-by': 'replaced by',
  superseded_by: 'replaced by',
}
const types: ReadonlySet<string> = new Set([
  'project',
  'person',
  'tool',
  'team',
  'place',
  'component',
  'service',
])

interface Matter {
  facts: Fact[]
  /** The text after the front matter. */
  body: string
  /** The thing whose fields the front matter has; undefined if it states nothing. */
  about: NamedThing | undefined
}

/**
 * Reads the front matter of a note and what the note links to; it is certain by its structure.
 * @param title title of the note, where its source knows one
 */
export function readFrontMatter(
  text: string,
  title: string | undefined,
  find: ReadingContext['find'],
): Matter {
  const { yaml, body } = partsOf(text)
  if (yaml === undefined) return { facts: [], body, about: undefined }
  const fields = yamlFields(yaml, maxAliasCount)
  const name = wordsIn(fields.title)[0] ?? title ?? /^# (.+)$/mu.exec(body)?.[1]?.trim()
  if (!name || (!isBelievable(name) && !find(name))) return { facts: [], body, about: undefined }
  const kind = wordsIn(fields.type)[0] ?? ''
  const subject = find(name) ?? { name, type: types.has(kind) ? kind : 'concept' }
  const facts = Object.entries(fields).flatMap(([field, value]) => factsOf(subject, field, value, find))
  const lines = text.split('\n').map(line => line.trim())
  const quoted = facts.flatMap(({ words, ...fact }): Fact[] => {
    const quote = lines.find(line => words.every(word => line.includes(word)))
    return quote ? [{ ...fact, quote }] : []
  })
  if (quoted.length === 0) return { facts: [], body, about: undefined }
  return { facts: [...quoted, ...linksIn(subject, body, find)], body, about: subject }
}

/** Splits a text at the line that ends its front matter. */
function partsOf(text: string): { yaml: string | undefined; body: string } {
  const lines = text.slice(0, maxFrontMatter).split('\n')
  const isFence = (line: string): boolean => line.replace('\uFEFF', '').trim() === '---'
  const end = isFence(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && isFence(line)) : -1
  if (end < 0) return { yaml: undefined, body: text }
  const length = lines.slice(0, end + 1).join('\n').length
  return { yaml: lines.slice(1, end).join('\n'), body: text.slice(length + 1) }
}

/** Texts of a field or of its list, without the brackets of links. */
function wordsIn(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.flat() : [value]
  return list
    .filter(one => typeof one === 'string')
    .map(one => one.replace(/^\[\[|\]\]$/gu, '').trim())
    .filter(one => one !== '' && one.length <= maxValue)
}

/** A fact with the words of the line that says it. */
type WordedFact = Omit<Fact, 'quote'> & { words: readonly string[] }

const told = { since: undefined, until: undefined, isSure: true, by: 'front-matter', object: undefined }

function claimOf(
  subject: NamedThing,
  slot: { aspect: string; attribute: string },
  value: string,
  word: string,
): WordedFact {
  return { ...told, subject, kind: 'value', ...slot, value, words: [word] }
}

function linkOf(subject: NamedThing, attribute: string, object: NamedThing, word: string): WordedFact[] {
  if (subject.name === object.name) return []
  return [{ ...told, subject, kind: 'link', aspect: '', attribute, value: '', object, words: [word] }]
}

function factsOf(
  subject: NamedThing,
  field: string,
  given: unknown,
  find: ReadingContext['find'],
): WordedFact[] {
  const words = wordsIn(given)
  if (/^alias(?:es)?$/u.test(field))
    return words.map(value => ({
      ...claimOf(subject, { aspect: '', attribute: 'also called' }, value, value),
      kind: 'alias',
    }))
  if (field in roles) return peopleOf(subject, field, words, find)
  const relation = relations[field]
  if (relation)
    return words
      .filter(word => isBelievable(word))
      .flatMap(word => linkOf(subject, relation, find(word) ?? { name: word, type: 'component' }, word))
  const aspect = values[field]
  const [value, other] = words
  return aspect && value && !other ? [claimOf(subject, { aspect, attribute: field }, value, `${field}:`)] : []
}

function peopleOf(
  subject: NamedThing,
  field: string,
  words: readonly string[],
  find: ReadingContext['find'],
): WordedFact[] {
  const [role = '', relation = ''] = roles[field] ?? []
  const people = words.map(
    word => find(word) ?? { name: word, type: /\bteam\b|\//iu.test(word) ? 'team' : 'person' },
  )
  const [first] = words
  if (first === undefined) return []
  const names = people.map(({ name }) => name).join(' and ')
  return [
    claimOf(subject, { aspect: 'people', attribute: role }, names, first),
    ...people.flatMap((person, at) => linkOf(person, relation, subject, words[at] as string)),
  ]
}

/** `[[Orion]]`: other notes that this one names. */
function linksIn(subject: NamedThing, body: string, find: ReadingContext['find']): Fact[] {
  const named = new Map<string, string>()
  for (const [quote, target = ''] of body.matchAll(/\[\[([^[\]|#\n]{2,80})(?:[|#][^[\]\n]{0,80})?\]\]/gu))
    if (named.size < maxLinks && !named.has(target.trim())) named.set(target.trim(), quote)
  return [...named].flatMap(([name, quote]): Fact[] => {
    const object = find(name) ?? { name: name.split('/').at(-1) ?? name, type: 'concept' }
    if (object.name === subject.name || !isBelievable(object.name)) return []
    const fact = { subject, kind: 'link' as const, aspect: '', attribute: 'refers to', object, value: '' }
    return [{ ...fact, since: undefined, until: undefined, isSure: true, by: 'front-matter', quote }]
  })
}
