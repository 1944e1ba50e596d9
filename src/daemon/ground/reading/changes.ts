import { type LineReading, type NamedThing, periodIn } from './reading.js'
import { isPart, versionFor } from './related.js'
import {
  type Argument,
  afterVerb,
  argumentWith,
  phrasesIn,
  type SpokenClause,
  subjectsOf,
} from './spoken-clause.js'
import { tellStatement } from './statements.js'
import type { Phrase } from './syntax/phrases.js'
import { type Token, textOf } from './syntax/tokens.js'
import { isTool } from './words/names.js'
import { pastOf } from './words/verbs.js'

export const moving = new Set(['move', 'switch', 'migrate', 'change', 'port', 'convert', 'go'])
export const raising = new Set(['upgrade', 'update', 'bump', 'move', 'switch', 'migrate', 'pin'])
export const ending = new Set([
  'reject',
  'drop',
  'remove',
  'retire',
  'scrap',
  'deprecate',
  'discontinue',
  'sunset',
  'freeze',
  'decommission',
  'abandon',
  'archive',
  'phase',
  'cancel',
  'kill',
  'shut',
  'close',
  'ditch',
  'axe',
  'cut',
  'discard',
  'postpone',
  'pause',
])
/** `Scrapping X`: verbs that end something. */
export function isEnding(lemma: string | undefined): boolean {
  return lemma !== undefined && ending.has(lemma)
}
const lasting = new Set([
  'deprecate',
  'retire',
  'discontinue',
  'freeze',
  'decommission',
  'archive',
  'sunset',
  'phase',
  'postpone',
  'pause',
])
export const choosing = new Set([
  'choose',
  'pick',
  'take',
  'select',
  'adopt',
  'settle',
  'go',
  'opt',
  'standardise',
  'standardize',
  'stick',
  'stay',
  'keep',
])

/** Reads replacements, moves, upgrades, ends and choices. */
export function readOwnChange(spoken: SpokenClause): boolean {
  return (
    readReplacement(spoken) ||
    readMove(spoken) ||
    readUpgrade(spoken) ||
    readRelease(spoken) ||
    readSetTo(spoken) ||
    readEnd(spoken) ||
    readChoice(spoken)
  )
}

interface ChangedThing {
  thing: NamedThing
  phrase: Phrase
}

export function namedIn(reading: LineReading, argument: Argument | undefined): ChangedThing | undefined {
  const [found] = subjectsOf(reading, argument)
  return found && { thing: found.thing, phrase: found.phrase }
}

/** `the old MSMQ queues`: a replaced thing is named without its age. */
function ageless({ thing, phrase }: ChangedThing): ChangedThing {
  const name = thing.name.replace(/^(?:old|former|previous|current|existing|new) /iu, '')
  return { thing: { ...thing, name }, phrase }
}

export function replace(
  spoken: SpokenClause,
  old: ChangedThing | undefined,
  next: ChangedThing | undefined,
): boolean {
  const { reading, times } = spoken
  if (!old || !next || old.phrase.isPronoun) return false
  // `runs on our own app instead of X`: the project takes the place of nothing.
  if ([old, next].some(({ thing }) => thing.name === reading.project?.name)) return false
  const extra = { ...periodIn(times), by: 'replacement' }
  const isTold = reading.link(ageless(old).thing, 'replaced by', ageless(next).thing, extra)
  if (!isTold) return false
  const isPlanned = times.since !== undefined && /^(?:replace|supersede|take)$/u.test(spoken.verb.lemma)
  if (isPlanned || spoken.verb.tense !== 'present' || spoken.verb.isPassive) reading.cues.add('decision')
  for (const one of [old, next])
    versionFor(reading, reading.project, one.phrase, one.thing, one === next ? extra : { by: 'replacement' })
  return true
}

/** `X was replaced by Y`, `Y replaces X`, `We replaced X with Y`. */
function readReplacement(spoken: SpokenClause): boolean {
  const { verb, subjects, subject, reading, direct } = spoken
  const isReplacing = ['replace', 'supersede', 'succeed'].includes(verb.lemma)
  const isSwap = verb.lemma === 'swap' && verb.tense !== 'present'
  if (!isReplacing && !isSwap) return false
  if (verb.isPassive) {
    const next = namedIn(reading, argumentWith(spoken, 'by', 'with', ...(isSwap ? ['for'] : [])))
    return subjects.map(old => replace(spoken, old, next)).some(Boolean)
  }
  // `X replaces Y for all new shows`: `for` names the successor only of a swap.
  const next = argumentWith(spoken, 'with', 'by', ...(isSwap ? ['for'] : []))
  if (direct && next) return replace(spoken, namedIn(reading, direct), namedIn(reading, next))
  return (
    isReplacing &&
    subject !== undefined &&
    !subject.isProject &&
    replace(spoken, namedIn(reading, direct), subject)
  )
}

/** `We moved from X to Y`, `Billing moved from X to Y`. */
function readMove(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct } = spoken
  const from = argumentWith(spoken, 'from')
  const to = argumentWith(spoken, 'to', 'onto')
  if (!moving.has(verb.lemma) || !from || !to || (verb.lemma === 'go' && !subject?.isProject)) return false
  const old = namedIn(reading, from)
  const next = namedIn(reading, to)
  if (!old || !next || (!old.phrase.isProper && !next.phrase.isProper) || next.phrase.head.cls === 'number')
    return false
  const user = direct ? namedIn(reading, direct)?.thing : subject?.thing
  // `Cron jobs moved from the web server to Nomad`: the server stays.
  const isNamed = old.phrase.isProper || old.phrase.tokens.some(({ text }) => isTool(text))
  const isPlace = !isNamed && user !== undefined && user.name !== reading.project?.name
  const isReplaced = !isPlace && replace(spoken, old, next)
  const extra = { ...periodIn(spoken.times), by: 'replacement' }
  const isUsed = reading.link(user && user.name !== '' ? user : reading.project, 'uses', next.thing, extra)
  if (isUsed) reading.cues.add('decision')
  return isReplaced || isUsed
}

/** `We upgraded React to 19`, `upgraded to React 19`, `we moved the cron jobs to Temporal`. */
function readUpgrade(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, times } = spoken
  const to = argumentWith(spoken, 'to', 'onto', 'into')
  const from = argumentWith(spoken, 'from')
  if (!raising.has(verb.lemma) || !to || (from && from.tokens[0]?.cls !== 'number')) return false
  const [next] = phrasesIn(reading, to)
  if (!next || verb.tense === 'progressive') return false
  const extra = { ...periodIn(times), by: 'upgrade' }
  const moved = direct
    ? namedIn(reading, direct)
    : subject && !subject.isProject && !subject.isUser
      ? subject
      : undefined
  if (next.head.cls === 'number') {
    if (!moved || !['version', 'number'].includes(next.head.kind)) return false
    if (verb.tense !== 'present') reading.cues.add('decision')
    const isNamed = moved.phrase.isProper || reading.context.find(moved.thing.name) !== undefined
    return (
      isNamed &&
      reading.value(
        reading.project ?? moved.thing,
        { aspect: 'versions', attribute: `${moved.thing.name} version` },
        next.name,
        extra,
      )
    )
  }
  const thing = reading.thingOf(next)
  if (!thing || !next.isProper || next.head.kind === 'path') return false
  if (['upgrade', 'update', 'bump'].includes(verb.lemma) && next.version) {
    versionFor(reading, moved?.thing ?? reading.project, next, thing, extra)
    reading.cues.add('decision')
    return true
  }
  if (!moved && !verb.isPassive) {
    // `We moved to Berlin`
    if (verb.lemma === 'move' && thing.type !== 'tool') return false
    reading.cues.add('decision')
    return reading.link(reading.project, 'uses', thing, extra)
  }
  if (!moved || moved.thing.type === 'person') return false
  reading.cues.add('decision')
  // `Bookings were moved out of the monolith into booking-svc`
  const isInside = to.preposition === 'into' && thing.type !== 'tool'
  const isTold = reading.link(moved.thing, isInside ? 'moved to' : 'uses', thing, extra)
  versionFor(reading, moved.thing, next, thing, extra)
  return isTold
}

/** `Resolution reduced to 800 m`, `we raised the timeout to 30 s`: the value that something has now. */
function readSetTo(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, times } = spoken
  const [to] = phrasesIn(reading, argumentWith(spoken, 'to'))
  if (!/^(?:reduce|raise|increase|lower|shorten|extend|limit)$/u.test(verb.lemma) || verb.tense === 'present')
    return false
  const [of] = direct ? phrasesIn(reading, direct) : subject && !subject.isProject ? [subject.phrase] : []
  if (!of || to?.head.kind !== 'quantity' || of.tokens.length > 4) return false
  reading.cues.add('decision')
  const slot = { aspect: 'facts', attribute: of.name }
  return reading.value(reading.project, slot, to.name, { ...periodIn(times), by: 'upgrade' })
}

/** `shop-web 3.2.0 went live on 4 May`: the version that is out. */
function readRelease(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times } = spoken
  const isLive = verb.lemma === 'go' && /^live\b/iu.test(afterVerb(spoken))
  const isOut =
    isLive ||
    (verb.isPassive && /^(?:release|ship|publish|deploy|tag)$/u.test(verb.lemma)) ||
    verb.lemma === 'ship'
  if (!isOut || verb.modal || !subject || subject.isProject || !subject.phrase.version) return false
  versionFor(reading, subject.thing, subject.phrase, subject.thing, { ...periodIn(times), by: 'release' })
  return true
}

/** `We dropped Webpack for Rspack 1.1`. */
function successorOf(spoken: SpokenClause): ChangedThing | undefined {
  const found = namedIn(spoken.reading, argumentWith(spoken, 'for'))
  const isTold =
    /^(?:drop|scrap|abandon|retire|ditch|axe)$/u.test(spoken.verb.lemma) && found?.phrase.isProper
  return isTold && (found.phrase.version || found.thing.type === 'tool') ? found : undefined
}

/** `X was retired`, `we dropped X in favour of Y`. */
function readEnd(spoken: SpokenClause): boolean {
  const { verb, subjects, subject, reading, direct, times } = spoken
  if (
    !ending.has(verb.lemma) ||
    (verb.lemma === 'phase' && verb.particle !== 'out') ||
    (verb.lemma === 'shut' && verb.particle !== 'down') ||
    (verb.lemma === 'postpone' && !verb.isPassive) ||
    // `Policies are archived in X for 30 years`
    (verb.tense === 'present' && argumentWith(spoken, 'after')) ||
    (verb.lemma === 'archive' && argumentWith(spoken, 'in', 'to', 'for', 'on'))
  )
    return false
  // `cut` is present and past in one.
  const isDone = verb.tense !== 'present' || (verb.lemma === 'cut' && direct?.tokens[0]?.lower === 'the')
  const isOwn = !verb.isPassive && (!subject || subject.isProject) && direct && isDone
  if (!verb.isPassive && !isOwn) return false
  // `Events are dropped`: what happens again and again ends nothing.
  const instead = argumentWith(spoken, 'in favour of', 'in favor of')
  const isUsual = verb.isPassive && verb.tense === 'present' && verb.adverbs.length === 0
  if (isUsual && !lasting.has(verb.lemma) && verb.modal !== 'will' && !instead) return false
  const next = instead ? namedIn(reading, instead) : successorOf(spoken)
  const ended = (verb.isPassive ? subjects : subjectsOf(reading, direct)).filter(
    ({ phrase, thing }) =>
      verb.isPassive ||
      verb.start > spoken.clause.begin ||
      phrase.isProper ||
      isPart(phrase) ||
      reading.context.find(thing.name) !== undefined,
  )
  reading.cues.add('decision')
  const [support] = phrasesIn(reading, direct)
  const [unsupported] = support?.name === 'support' ? phrasesIn(reading, argumentWith(spoken, 'for')) : []
  const thing = unsupported && reading.thingOf(unsupported)
  if (unsupported && thing)
    return reading.value(
      { ...thing, name: `${thing.name}${unsupported.version ? ` ${unsupported.version}` : ''}` },
      { aspect: 'state', attribute: 'status' },
      'no longer supported',
      { ...periodIn(times), by: 'replacement' },
    )
  if (next) return ended.map(old => replace(spoken, old, next)).some(Boolean)
  // `We cut the fishing game`: nobody looks it up, but it was decided.
  if (isOwn && (ended.length === 0 || isOnlyHere(spoken))) return tellEnd(spoken)
  const value = stateOf(spoken)
  const extra = { ...periodIn(times), by: 'replacement' }
  return ended
    .map(
      ({ thing }) =>
        thing.name !== reading.project?.name &&
        reading.value(thing, { aspect: 'state', attribute: 'status' }, value, extra),
    )
    .some(Boolean)
}

/** `dropped`, `to be dropped`, `postponed to 3.0`. */
function stateOf(spoken: SpokenClause): string {
  const { verb, reading, times } = spoken
  const same: Readonly<Record<string, string>> = { cut: 'cut', shut: 'shut', freeze: 'frozen' }
  const word = verb.isPassive ? verb.word : (same[verb.lemma] ?? pastOf(verb.lemma))
  const told = verb.particle ? `${word} ${verb.particle}` : word
  // `We are dropping X in May`, `X gets dropped by Q4`
  const isComing =
    verb.tense === 'present' &&
    ((times.at ?? '') > reading.context.saidAt ||
      /^(?:q[1-4]|(?:the )?(?:end|middle|start|next)|mid|early|late)\b/iu.test(
        textOf(argumentWith(spoken, 'by', 'in')?.tokens ?? [], reading.text),
      ))
  if (verb.isPassive ? isComing : verb.tense === 'progressive') return `to be ${told}`
  const until = verb.lemma === 'postpone' ? argumentWith(spoken, 'to', 'until') : undefined
  return until ? `${told} to ${textOf(until.tokens, reading.text).split(',')[0]}` : told
}

/** `Removed Redis from the compose file`: elsewhere it stays. */
function isOnlyHere(spoken: SpokenClause): boolean {
  return /^(?:the|our|all)$/u.test(argumentWith(spoken, 'for', 'from')?.tokens[0]?.lower ?? '')
}

function tellEnd(spoken: SpokenClause): boolean {
  const { reading, sentence, verb, clause, direct, times } = spoken
  const isTheir = /^(?:the|our|all|support)$/u.test(direct?.tokens[0]?.lower ?? '') || isOnlyHere(spoken)
  const extra = { ...periodIn(times), by: 'decision' }
  return isTheir && tellStatement(reading, 'decisions', sentence.slice(verb.at, clause.to), extra)
}

/** `We chose X over Y for Z`, `we went with X`. */
function readChoice(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, times } = spoken
  if (
    !choosing.has(verb.lemma) ||
    !(subject?.isProject ?? verb.tense === 'past') ||
    (verb.isImperative && reading.label === '')
  )
    return false
  if ((verb.lemma === 'go' || verb.lemma === 'take') && verb.particle) return false
  // `We keep backups in X` chooses nothing, `we're keeping RabbitMQ` does.
  const isKept = spoken.args.length === 1 && phrasesIn(reading, direct).some(({ name }) => isTool(name))
  if (verb.lemma === 'keep' && verb.tense !== 'progressive' && verb.modal !== 'will' && !isKept) return false
  const object = direct ?? argumentWith(spoken, 'for', 'with', 'on')
  if (!object) return false
  const isTold = verb.tense !== 'present' || verb.modal === 'will' || /^(?:go|take|keep)$/u.test(verb.lemma)
  if (isTold) reading.cues.add('decision')
  const extra = { ...periodIn(times), by: 'decision' }
  const isRead = chosen(spoken, object, extra)
  // The links do not say why, and what else was possible.
  if (isRead && isTold && /\b(?:because|since|as|so|over|rather than|instead of)\b|;/u.test(reading.quote))
    tellChoice(spoken, object, extra)
  return isRead
}

function tellChoice(
  { reading, sentence, clause }: SpokenClause,
  { tokens }: Argument,
  extra: { since?: string | undefined; by: string },
): void {
  const from = sentence.indexOf(tokens[0] as Token)
  const before = reading.facts.length
  tellStatement(reading, 'decisions', sentence.slice(from, clause.to), extra)
  const told = reading.facts[before]
  if (told) told.value = reading.quote
}

/** Records what was chosen, for what, and instead of what. */
export function chosen(
  spoken: SpokenClause,
  object: Argument,
  extra: { since?: string | undefined; by: string },
): boolean {
  const { reading } = spoken
  // `X, with Y as the fallback` says nothing of X.
  const next = spoken.args
    .slice(spoken.args.indexOf(object) + 1)
    .find(({ preposition }) => !/^(?:over|rather than|instead of)$/u.test(preposition ?? ''))
  const purpose = [next].find(
    argument =>
      argument !== undefined && /^(?:for|as)$/u.test(argument.preposition ?? '') && !argument.isGerund,
  )
  let isRead = false
  for (const phrase of phrasesIn(reading, object)) {
    const thing = reading.thingOf(phrase)
    if (!thing || !phrase.isProper || thing.type === 'person') continue
    isRead = reading.link(reading.project, 'uses', thing, extra) || isRead
    versionFor(reading, reading.project, phrase, thing, extra)
    for (const one of purpose ? phrasesIn(reading, purpose) : [])
      if (one.tokens.length <= 4 && one.head.cls !== 'number')
        reading.value(reading.project, { aspect: 'tools', attribute: one.name }, thing.name, extra)
  }
  return isRead
}
