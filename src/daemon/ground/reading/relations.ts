import { readPortBefore } from './amounts.js'
import { isLocating, isPort, placeIn } from './places.js'
import { type LineReading, type NamedThing, periodIn, type Subject } from './reading.js'
import {
  type Argument,
  argumentsIn,
  argumentWith,
  gapsOf,
  phrasesIn,
  type SpokenClause,
} from './spoken-clause.js'
import { isContainer, isPerson, isRegion, type Phrase, phrasesOf, typeOf } from './syntax/phrases.js'
import { type Relation, relationOf } from './syntax/relation-table.js'
import { type Token, textOf } from './syntax/tokens.js'
import { hasPartNoun, isTool, languages } from './words/names.js'

const making = new Set([
  'write',
  'rewrite',
  'build',
  'implement',
  'program',
  'make',
  'create',
  'design',
  'rename',
  'fork',
  'derive',
  'base',
])

/** Verbs whose past tells what is so now. */
export function isMaking({ lemma }: { lemma: string }): boolean {
  return making.has(lemma)
}

/** An example may use other things than the project. */
const illustrations = /^(?:examples?|sample|tutorials?|snippets?|diagrams?|screenshots?)$/u

/** Verbs whose passive names nothing that works for the project: `blocked by the review`. */
const vagueAgents = new Set([
  'follow',
  'cause',
  'affect',
  'surprise',
  'mean',
  'replace',
  'supersede',
  'forbid',
  'own',
  'maintain',
  'lead',
  'decide',
  'approve',
  'limit',
  'get',
  'block',
  'break',
  'miss',
  'hit',
  'kill',
])

/** Reads what a verb says of its subjects and its arguments. */
export function readRelations(spoken: SpokenClause): boolean {
  const { subjects, args, verb, clause, sentence, reading } = spoken
  if (verb.negation || (verb.modal && !['will', 'can'].includes(verb.modal))) return false
  // `The old API used SOAP`, but `the parser was written in Rust`.
  if (verb.tense === 'past' && !isMaking(verb) && !spoken.times.since) return false
  let isRead = false
  for (const subject of subjects) {
    if (illustrations.test(subject.phrase.tokens[0]?.lower ?? '')) continue
    for (const argument of args) {
      if (argument.isGerund) break
      // `deployed to Fly.io in fra`: a second place describes the first.
      const place = phrasesIn(reading, argument)[0]
      const isPlace = argument.preposition === 'in' && place?.isProper === false && !isRegion(place.name)
      if (isRead && isPlace && place.name !== 'version') continue
      isRead = readArgument(spoken, subject, argument) || isRead
    }
  }
  for (const gap of gapsOf(clause, sentence))
    isRead = readGap(spoken, sentence.slice(gap.begin, gap.to)) || isRead
  if (verb.isPassive) isRead = readInstrument(spoken) || isRead
  return isRead
}

export function readArgument(spoken: SpokenClause, subject: Subject, argument: Argument): boolean {
  const { verb, reading } = spoken
  if (argument.isInfinitive || argument.preposition === 'not') return false
  const extra = { ...periodIn(spoken.times), by: 'relation' }
  let isRead = false
  for (const phrase of phrasesIn(reading, argument)) {
    const place = placeIn(phrase, argument.preposition)
    if (place && isLocating(verb)) {
      // `checked by X at https://…`: the address of X.
      const agent = place.aspect === 'network' ? agentBefore(spoken, argument) : undefined
      isRead = reading.value(agent ?? subject.thing, place, phrase.name, extra) || isRead
      continue
    }
    if (isPort(phrase, argument, verb)) {
      const port = /(\d{2,5})$/u.exec(phrase.name)?.[1] ?? ''
      isRead = reading.value(subject.thing, { aspect: 'network', attribute: 'port' }, port, extra) || isRead
      continue
    }
    if (argument.preposition === 'on' && /^port \d{2,5}$/u.test(phrase.name)) {
      isRead = readPortBefore(spoken, argument, phrase.name.slice(5)) || isRead
      continue
    }
    if (phrase.name === 'version' && phrase.version) {
      readVersionBefore(spoken, argument, phrase)
      continue
    }
    const relation = relationOf(verb, argument.preposition)
    // `is wrong for orders from Italy`: the place belongs to the orders.
    const isFar = verb.lemma === 'be' && spoken.args[0] !== argument
    if (relation && !place && !isFar)
      isRead = readPhrase(spoken, { subject, relation, phrase, argument }) || isRead
  }
  return isRead
}

function isBrand({ text, cls, isFirst }: Token): boolean {
  return isTool(text) || (cls === 'name' && !isFirst && /^\p{Lu}\p{Ll}{3,}$/u.test(text))
}

/** `Terraform modules`, `Jenkins pipelines`: what is used is the tool. */
function toolOf(phrase: Phrase): Phrase {
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

/** `uses PostgreSQL in version 15`: the version of the thing named before it. */
function readVersionBefore(
  { args, reading, subject }: SpokenClause,
  argument: Argument,
  phrase: Phrase,
): void {
  const [last] = phrasesIn(reading, args[args.indexOf(argument) - 1]).slice(-1)
  const thing = last?.isProper ? reading.thingOf(last) : undefined
  const owner = subject?.isProject ? reading.project : subject?.thing
  if (thing) versionFor(reading, owner, phrase, thing, { by: 'relation' })
}

/** The thing named after `by` or `with` directly before an argument. */
function agentBefore({ args, reading, verb }: SpokenClause, argument: Argument): NamedThing | undefined {
  if (
    !verb.isPassive ||
    /^(?:deploy|host|serve|run|publish|expose|reach|list|show|document|release)$/u.test(verb.lemma)
  )
    return undefined
  const before = args[args.indexOf(argument) - 1]
  if (!before || !/^(?:by|with|via|through)$/u.test(before.preposition ?? '')) return undefined
  return reading.thingOf(phrasesIn(reading, before)[0])
}

interface ObjectPhrase {
  subject: Subject
  relation: Relation
  phrase: Phrase
  argument: Argument
}

function readPhrase(spoken: SpokenClause, told: ObjectPhrase): boolean {
  const { subject, relation, argument } = told
  const phrase = toolOf(told.phrase)
  const { reading, verb } = spoken
  const extra = { ...periodIn(spoken.times), by: 'relation' }
  if (phrase.head.cls === 'number' && !phrase.isProper) return false
  const isNamed =
    phrase.isProper ||
    phrase.version !== undefined ||
    isPart(phrase) ||
    reading.context.find(phrase.name) !== undefined
  if (relation.isForThings && isPerson(subject.phrase)) return false
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
  const isKept = verb.lemma === 'be' && argument.preposition === 'in' && isContainer(phrase)
  if (relation.isToolOnly && ((object?.type !== 'tool' && !isKept) || subject.isProject)) return false
  if (!object || (verb.lemma === 'use' && subject.isUser)) return false
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
  // `portal-api is in Go`
  const name = verb.lemma === 'be' && languages.has(object.name.toLowerCase()) ? 'written in' : relation.name
  const isLinked = reading.link(subject.thing, name, object, extra)
  if (isLinked && relation.name === 'uses') readPurpose(spoken, subject, object, argument)
  if (isLinked) versionFor(reading, subject.thing, phrase, object, extra)
  return isLinked
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

/** Verbs of work with a program: `drawn in Aseprite`. */
const authoring = /^(?:draw|edit|model|design|document|sketch|animate|mix|track|prototype|plan|plot|author)$/u

/** `Preview builds are posted by the bot`, `12 jobs are run with Slurm`: who or what does it. */
function readInstrument(spoken: SpokenClause): boolean {
  const { verb, subjects, reading } = spoken
  if (vagueAgents.has(verb.lemma)) return false
  let isRead = false
  for (const argument of spoken.args) {
    const { preposition } = argument
    if (
      !['by', 'with', 'via', 'through', 'over', 'from', 'to', 'in', 'on'].includes(preposition ?? '') ||
      relationOf(verb, argument.preposition)
    )
      continue
    for (const phrase of phrasesIn(reading, argument).map(toolOf)) {
      const isNamed = (phrase.isProper || phrase.version !== undefined) && phrase.head.cls !== 'number'
      const isAgent =
        preposition === 'by' && (isPart(phrase) || typeOf(phrase) === 'team' || isPerson(phrase))
      if (!isNamed && !isAgent) continue
      // `documented in Confluence`, but not `released in Austria`
      const isWork =
        authoring.test(verb.lemma) || (preposition === 'on' && /^(?:manage|review)$/u.test(verb.lemma))
      if (preposition === 'in' && !isTool(phrase.name) && !isWork) continue
      if (preposition === 'on' && !isWork) continue
      if (placeIn(phrase, preposition)) continue
      for (const { thing, isProject } of subjects) {
        if (isProject) continue
        const object = reading.thingOf(phrase, preposition === 'by')
        const extra = { ...periodIn(spoken.times), by: 'relation' }
        if (!object || !reading.link(thing, `${verb.word} ${preposition}`, object, extra)) continue
        versionFor(reading, thing, phrase, object, extra)
        isRead = true
      }
    }
  }
  return isRead
}

/** `…, the API on Fly.io`: the verb of the clause is meant. */
function readGap(spoken: SpokenClause, piece: readonly Token[]): boolean {
  const { reading, verb, direct } = spoken
  const at = piece.findIndex(({ cls }) => cls === 'preposition' || cls === 'to')
  const rest = argumentsIn(piece.slice(at).filter(({ text }) => !/^[.,;]$/u.test(text)))
  if (direct && !verb.isPassive) {
    const [subject] = spoken.subjects
    const argument = {
      preposition: undefined,
      tokens: [...piece.slice(0, at)],
      isInfinitive: false,
      isGerund: false,
    }
    return subject
      ? readArgument({ ...spoken, args: [argument, ...rest], times: {} }, subject, argument)
      : false
  }
  const subjects = phrasesOf(piece.slice(0, at), reading.text).flatMap(
    phrase => reading.subjectOf(withoutOne(phrase, spoken.subject)) ?? [],
  )
  // `Auth is handled by Clerk, billing by Stripe`
  if (verb.isPassive && !relationOf(verb, rest[0]?.preposition))
    return readInstrument({ ...spoken, subjects, args: rest, times: {} })
  return subjects
    .flatMap(subject =>
      rest.map(argument => readArgument({ ...spoken, args: rest, times: {} }, subject, argument)),
    )
    .some(Boolean)
}

/** `the iOS app …, the Android one …`: the noun is the one before. */
function withoutOne(phrase: Phrase, before: Subject | undefined): Phrase {
  const noun = before?.phrase.head.text
  return noun && / ones?$/u.test(phrase.name)
    ? { ...phrase, name: phrase.name.replace(/ones?$/u, noun) }
    : phrase
}

export function wordsOf(reading: LineReading, { tokens }: Argument): string {
  return textOf(tokens, reading.text)
}
