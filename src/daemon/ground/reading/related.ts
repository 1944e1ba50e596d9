import { type LineReading, type NamedThing, periodIn, type Subject } from './reading.js'
import { type Argument, argumentWith, phrasesIn, type SpokenClause } from './spoken-clause.js'
import { isContainer, isPerson, type Phrase } from './syntax/phrases.js'
import type { Relation } from './syntax/relation-table.js'
import { type Token, textOf } from './syntax/tokens.js'
import { hasPartNoun, isTool, languages } from './words/names.js'

function isBrand({ text, cls, isFirst }: Token): boolean {
  return isTool(text) || (cls === 'name' && !isFirst && /^\p{Lu}\p{Ll}{3,}$/u.test(text))
}

/** `Terraform modules`, `Jenkins pipelines`: what is used is the tool. */
export function toolOf(phrase: Phrase): Phrase {
  const [tool, ...kinds] = phrase.tokens
  const isKind =
    kinds.length > 0 &&
    kinds.every(({ cls, text }) => /^(?:noun|verb)$/u.test(cls) && /^\p{Ll}+$/u.test(text))
  if (!tool || !isKind || phrase.determiner || phrase.isProper || isPart(phrase) || !isBrand(tool))
    return phrase
  return { ...phrase, name: tool.text, tokens: [tool], head: tool, isProper: true }
}

/** The means of something are a tool, though the name says nothing. */
function objectOf(reading: LineReading, phrase: Phrase, { name }: Relation): NamedThing | undefined {
  const thing = reading.thingOf(phrase)
  const isMeans = /^(?:uses|built with|written in|run with)$/u.test(name)
  return thing?.type === 'concept' && isMeans ? { ...thing, type: 'tool' } : thing
}

interface ObjectPhrase {
  subject: Subject
  relation: Relation
  phrase: Phrase
  argument: Argument
}

export function readPhrase(spoken: SpokenClause, told: ObjectPhrase): boolean {
  const { subject, relation, argument } = told
  const phrase = toolOf(told.phrase)
  const { reading, verb } = spoken
  const extra = { ...periodIn(spoken.times), by: 'relation' }
  if (phrase.head.cls === 'number' && !phrase.isProper) return false
  const isNamed =
    phrase.isProper ||
    phrase.version !== undefined ||
    isPart(phrase) ||
    isIdentifier(phrase) ||
    reading.context.find(phrase.name) !== undefined
  if (relation.isForThings && isPerson(subject.phrase)) return false
  // `kept as notes.md.bak`: a file, not a format.
  if (relation.name === 'saved as' && phrase.name.includes('.')) return false
  if ((relation.isNamedOnly && !isNamed) || phrase.determiner === 'my') return false
  const isSubject =
    isNamedEnd(reading, subject.phrase) ||
    isBare(subject.phrase) ||
    (phrase.isProper && isSpecific(subject.phrase))
  if (relation.isNamedBoth && !(isSubject && isNamedEnd(reading, phrase))) return false
  // `the test uses a fake clock`: what nobody would look up.
  if (!isNamed && (phrase.determiner === 'a' || phrase.determiner === 'an' || verb.lemma === 'use'))
    return false
  const object = objectOf(reading, phrase, relation)
  const isKept =
    /^(?:be|land|arrive)$/u.test(verb.lemma) && argument.preposition === 'in' && isContainer(phrase)
  if (relation.isToolOnly && ((object?.type !== 'tool' && !isKept) || subject.isProject)) return false
  if (!object || (verb.lemma === 'use' && (subject.isUser || object.type === 'person'))) return false
  if (
    !isNamed &&
    /^(?:component|place)$/u.test(object.type) &&
    !/^(?:depends on|talks to)$/u.test(relation.name)
  ) {
    const value = withPlace(spoken, argument, phrase)
    return (
      phrase.tokens.length <= 4 &&
      reading.value(subject.thing, { aspect: 'facts', attribute: relation.name }, value, extra)
    )
  }
  // `sessions in Valkey`: nobody looks up `sessions`, so the project has the fact.
  if (!reading.isNamed(subject.thing) && object.type === 'tool' && reading.project) {
    reading.link(reading.project, 'uses', object, extra)
    versionFor(reading, reading.project, phrase, object, extra)
    return reading.value(
      reading.project,
      { aspect: 'tools', attribute: subject.thing.name },
      object.name,
      extra,
    )
  }
  if (relation.name === 'uses' && readPurposeAs(spoken, subject, object)) return true
  const name = nameOfLink(spoken, told, object)
  const isLinked = reading.link(subject.thing, name, object, extra)
  if (isLinked && relation.name === 'uses') readPurpose(spoken, subject, object, argument)
  if (isLinked) versionFor(reading, subject.thing, phrase, object, extra)
  return isLinked
}

/** `the rates-proxy`. */
function isIdentifier({ determiner, tokens, name }: Phrase): boolean {
  return (
    determiner === 'the' &&
    tokens.length === 1 &&
    /^[a-z]+(?:-[a-z\d]+)+$/u.test(name) &&
    !/(?:ed|ing|er)$/u.test(name)
  )
}

const formats =
  /^(?:json|csv|xml|yaml|pdf|parquet|avro|xlsx|excel|html|markdown|protobuf|tsv|toml|webp|png|svg|wav|mp3|mp4)$/iu

function nameOfLink(
  { verb, reading }: SpokenClause,
  { argument, phrase, relation }: ObjectPhrase,
  object: NamedThing,
): string {
  // `portal-api is in Go`
  const isLanguage = languages.has(object.name.toLowerCase())
  if (verb.lemma === 'be' && isLanguage) return 'written in'
  // `written in Erlang, OTP 26`: the second names something else.
  if (relation.name === 'copied to' && formats.test(object.name)) return 'saved as'
  const [leading] = phrasesIn(reading, argument)
  const isBeside = relation.name === 'written in' && !isLanguage && leading?.name !== phrase.name
  return isBeside ? 'uses' : relation.name
}

/** True for a name, and for a phrase with a name in it: `the Iceberg tables`. */
function isNamedEnd(reading: LineReading, phrase: Phrase): boolean {
  return (
    phrase.isProper ||
    isPart(phrase) ||
    reading.context.find(phrase.name) !== undefined ||
    phrase.tokens.some(({ cls, kind, text }) => (cls === 'name' && kind !== 'code') || isTool(text))
  )
}

/** `payments publishes …`: a single word without an article is a name. */
function isBare({ tokens, determiner, isPronoun }: Phrase): boolean {
  return (
    tokens.length === 1 && determiner === undefined && !isPronoun && /^\p{Ll}/u.test(tokens[0]?.text ?? '')
  )
}

/** `Address validation calls …`: two or three words that say which part it is. */
function isSpecific({ tokens, determiner }: Phrase): boolean {
  return (
    tokens.length > 1 &&
    tokens.length <= 3 &&
    !/^(?:an?|this|that|each|every|some|any)$/u.test(determiner ?? '')
  )
}

/** `the studio in Lyon`: what follows a common noun says which one. */
function withPlace({ args, reading }: SpokenClause, argument: Argument, { name }: Phrase): string {
  const next = args[args.indexOf(argument) + 1]
  if (
    !next ||
    !['in', 'for', 'at'].includes(next.preposition ?? '') ||
    next.isGerund ||
    next.tokens.length > 3
  )
    return name
  return `${name} ${next.preposition} ${textOf(next.tokens, reading.text)}`
}

/** Records the version named after a thing, for whom it is used. */
export function versionFor(
  reading: LineReading,
  of: NamedThing | undefined,
  { version }: Pick<Phrase, 'version'>,
  thing: NamedThing,
  extra: { since?: string | undefined; by: string },
): void {
  if (version === undefined || thing.type === 'person') return
  const owner = of && of.name !== '' ? of : thing
  const attribute = owner === thing ? 'version' : `${thing.name} version`
  reading.value(owner, { aspect: 'versions', attribute }, version, extra)
}

/** `pnpm as the package manager` names the slot. */
function readPurposeAs(spoken: SpokenClause, { thing }: Subject, object: NamedThing): boolean {
  const { reading } = spoken
  const [as] = phrasesIn(reading, argumentWith(spoken, 'as'))
  if (!as?.determiner || as.tokens.length > 4 || as.isProper) return false
  const extra = { ...periodIn(spoken.times), by: 'relation' }
  reading.link(thing, 'uses', object, extra)
  return reading.value(thing, { aspect: 'tools', attribute: as.name }, object.name, extra)
}

function readPurpose(spoken: SpokenClause, { thing }: Subject, object: NamedThing, argument: Argument): void {
  const { reading, args } = spoken
  const after = args[args.indexOf(argument) + 1]
  if (after?.preposition !== 'for' || after.isGerund) return
  for (const purpose of phrasesIn(reading, after)) {
    if (
      purpose.tokens.length > 4 ||
      /^(?:now|that|this|it|everything|all|years|weeks|months)$/u.test(purpose.name)
    )
      continue
    reading.value(thing, { aspect: 'tools', attribute: purpose.name }, object.name, {
      ...periodIn(spoken.times),
      by: 'relation',
    })
  }
}

/** True for a common noun of a part of a project. */
export function isPart({ name, tokens }: Phrase): boolean {
  return hasPartNoun(name) && tokens.length <= 4
}
