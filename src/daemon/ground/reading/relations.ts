import { readPortBefore } from './amounts.js'
import { isLocating, isPort, placeIn } from './places.js'
import { type LineReading, type NamedThing, periodIn, type Subject } from './reading.js'
import { isPart, readPhrase, toolOf, versionFor } from './related.js'
import {
  type Argument,
  argumentsIn,
  argumentWith,
  gapsOf,
  gapWords,
  phrasesIn,
  type SpokenClause,
} from './spoken-clause.js'
import { isPerson, isRegion, type Phrase, phrasesOf, typeOf } from './syntax/phrases.js'
import { relationOf } from './syntax/relation-table.js'
import { type Token, textOf } from './syntax/tokens.js'
import { isTool } from './words/names.js'

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
  // `runs out of memory on large files`
  if (argumentWith(spoken, 'out of')) return false
  let isRead = false
  for (const subject of subjects) {
    if (illustrations.test(subject.phrase.tokens[0]?.lower ?? '')) continue
    for (const argument of args) {
      if (argument.isGerund) break
      // `talks ESC/POS over TCP`, `speaks OCPP to older stations`: the first is what it speaks.
      if (isRead && /^(?:speak|talk)$/u.test(verb.lemma) && spoken.direct) break
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
  // `Moodle 4.4 runs on web-3`
  const [subject] = subjects
  const isReleased = subject?.thing.type === 'tool' || /^v?\d+\.\d|^v\d/u.test(subject?.phrase.version ?? '')
  if (isRead && subject && isReleased && (subject.phrase.isProper || subject.phrase.tokens.length === 1))
    versionFor(reading, subject.thing, subject.phrase, subject.thing, { by: 'relation' })
  return isRead
}

export function readArgument(spoken: SpokenClause, subject: Subject, argument: Argument): boolean {
  const { verb, reading } = spoken
  if (argument.isInfinitive || argument.preposition === 'not') return false
  const extra = { ...periodIn(spoken.times), by: 'relation' }
  let isRead = false
  for (const phrase of phrasesIn(reading, argument)) {
    const place = placeIn(phrase, argument.preposition)
    // `exported by tools/loot2json`: a program, not a place.
    if (place?.aspect === 'files' && argument.preposition === 'by') continue
    if (place && isLocating(verb, argument.preposition)) {
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
    const isMeans = argument.preposition === 'via'
    const isFar = verb.lemma === 'be' && spoken.args[0] !== argument && !isMeans
    if (relation && !place && !isFar)
      isRead = readPhrase(spoken, { subject, relation, phrase, argument }) || isRead
  }
  return isRead
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
      if (preposition === 'on' && !(isWork && isTool(phrase.name))) continue
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

const storing = new Set([
  'store',
  'keep',
  'save',
  'hold',
  'persist',
  'cache',
  'archive',
  'put',
  'host',
  'deploy',
])

/**
 * `X stores its data in Y`, `we keep sessions in Y`, `Ann wrote the parser in Rust`: what the passive says of
 * the object.
 */
export function readTreated(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, sentence, clause } = spoken
  const isMade = isMaking(verb)
  if ((!storing.has(verb.lemma) && !isMade) || verb.isImperative || !direct || !subject) return false
  if (!isMade && (verb.tense === 'past' || (isPerson(subject.phrase) && !subject.isProject))) return false
  const passive: SpokenClause = { ...spoken, verb: { ...verb, isPassive: true, tense: 'present' } }
  const isRead = readObject(passive, phrasesIn(reading, direct), spoken.args)
  // `search-api caches its results in Valkey`
  if (isRead && !isMade && !subject.isProject && (subject.phrase.isProper || isPart(subject.phrase))) {
    const [store] = phrasesIn(reading, argumentWith(spoken, 'in'))
    const thing = store?.isProper ? reading.thingOf(store) : undefined
    if (thing?.type === 'tool')
      reading.link(subject.thing, 'uses', thing, { ...periodIn(spoken.times), by: 'relation' })
  }
  const isGapRead = gapWords(clause, sentence).map(piece => {
    const at = piece.findIndex(({ cls }) => cls === 'preposition')
    return readObject(
      { ...passive, times: {} },
      phrasesOf(piece.slice(0, at), reading.text),
      argumentsIn(piece.slice(at)),
    )
  })
  return isRead || isGapRead.some(Boolean)
}

function readObject(spoken: SpokenClause, objects: readonly Phrase[], args: readonly Argument[]): boolean {
  const { reading, subject } = spoken
  const places = args.filter(({ preposition }) =>
    /^(?:in|on|at|under|into|with|to)$/u.test(preposition ?? ''),
  )
  return objects
    .flatMap(phrase => {
      const isOwn = /^(?:everything|data|state|results?|responses?|output|records|content)$/u.test(
        phrase.name,
      )
      // `its orders` names the orders.
      const named = isOwn ? subject : reading.subjectOf({ ...phrase, determiner: undefined })
      return named ? places.map(place => readArgument({ ...spoken, args }, named, place)) : []
    })
    .some(Boolean)
}
