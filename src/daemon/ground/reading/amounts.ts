import { type LineReading, periodIn } from './reading.js'
import {
  type Argument,
  afterVerb,
  argumentWith,
  gapsOf,
  phrasesIn,
  type SpokenClause,
  subjectsOf,
} from './spoken-clause.js'
import { phraseOf } from './syntax/phrases.js'
import { type Token, textOf } from './syntax/tokens.js'
import { isTool } from './words/names.js'

const keeping = new Set(['keep', 'retain', 'store', 'cache', 'hold', 'save', 'archive'])
const removing =
  /^(?:delete|remove|retire|archive|purge|rotate|close|replace|drop|evict|prune|renew|revoke|lock)$/u
const limiting = new Set(['limit', 'cap', 'restrict', 'accept', 'allow', 'handle'])

/** `Backups are kept for 30 days`, `the queue has a limit of 7 days`, `uploads are capped at 5 MB`. */
export function readAmount(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times, direct } = spoken
  if (verb.negation || (verb.modal && verb.modal !== 'will')) return false
  const extra = { ...periodIn(times), by: 'amount' }
  const tell: Tell = (slot, value) =>
    subjects
      .map(({ thing, isProject }) => !isProject && reading.value(thing, slot, value, extra))
      .some(Boolean)
  const isEnd =
    verb.lemma === 'expire' || (verb.lemma === 'end' && bound.test(spoken.subject?.phrase.name ?? ''))
  if (isEnd && times.at && verb.tense === 'present') return expiresOn(spoken, times.at)
  const valid = readValidity(spoken)
  if (valid) return true
  const isKept = readPeriod(spoken, tell)
  if (isKept !== undefined) return isKept
  const limited =
    limiting.has(verb.lemma) && verb.isPassive
      ? amountIn(reading, argumentWith(spoken, 'to', 'at')?.tokens ?? [])
      : undefined
  if (limited) return tell({ aspect: 'limits', attribute: 'limit' }, limited)
  const allowed =
    ['allow', 'permit', 'accept', 'handle', 'support'].includes(verb.lemma) && !verb.isPassive && direct
      ? /^(?:about |at most |up to )?\d[\d.,]* [\p{L} ]+ (?:per|an?) (?:second|minute|hour|day|month|key|user|client)(?: (?:per|for each) \p{L}+)?(?=$|,| (?:on|for|in|with|without|from)\b)/u.exec(
          afterVerb(spoken),
        )?.[0]
      : undefined
  if (allowed) return tell({ aspect: 'limits', attribute: 'limit' }, allowed)
  if (verb.lemma === 'run' && !verb.isPassive) {
    const rate = amountIn(reading, argumentWith(spoken, 'at')?.tokens ?? [])
    if (rate) return tell({ aspect: 'facts', attribute: 'rate' }, rate)
  }
  // `The suite takes about 25 minutes`
  const lasts = /^(?:take|last|live)$/u.test(verb.lemma) && verb.tense === 'present' && direct
  const duration = lasts ? textOf(upToComma(direct.tokens), reading.text) : ''
  if (durable.test(duration))
    return tell({ aspect: 'facts', attribute: verb.lemma === 'live' ? 'lifetime' : 'duration' }, duration)
  return readLicence(spoken) || readHad(spoken, tell)
}

/** How long something is kept, and after what time it ends; undefined if nothing says so. */
function readPeriod(spoken: SpokenClause, tell: Tell): boolean | undefined {
  const { verb, reading, direct } = spoken
  const period = argumentWith(spoken, 'for', 'after')
  const periodText = period && amountIn(reading, upToComma(period.tokens))
  if (
    periodText &&
    /\b(?:days?|weeks?|months?|years?|hours?|minutes?|cycles|runs|times)\b|\d ?(?:d|h|s|ms|min)\b|seconds?\b/u.test(
      periodText,
    )
  ) {
    if (keeping.has(verb.lemma)) return tell({ aspect: 'limits', attribute: 'retention' }, periodText)
    if (
      period.preposition === 'after' &&
      verb.isPassive &&
      removing.test(verb.lemma) &&
      verb.tense === 'present'
    )
      return tell({ aspect: 'limits', attribute: `${verb.word} after` }, periodText)
    if (verb.lemma === 'time' && verb.particle === 'out')
      return tell({ aspect: 'limits', attribute: 'timeout' }, periodText)
    if (verb.lemma === 'expire') return tell({ aspect: 'limits', attribute: 'expires after' }, periodText)
  }
  const [lasting] = keeping.has(verb.lemma) && verb.isPassive ? phrasesIn(reading, direct) : []
  const lastingText = lasting && amountIn(reading, lasting.tokens)
  if (lastingText && /\b(?:days?|weeks?|months?|years?|hours?)\b|\d ?(?:d|h)\b/u.test(lastingText))
    return tell({ aspect: 'limits', attribute: 'retention' }, lastingText)
  // `Loki keeps 21 days`
  const held =
    keeping.has(verb.lemma) && !verb.isPassive && !verb.isImperative && direct
      ? textOf(upToComma(direct.tokens), reading.text)
      : ''
  if (
    /^(?:the last |up to |only )?~?\d+ (?:days?|weeks?|months?|years?)(?: of (?:logs|data|history|metrics|traces|events|backups|messages))?$/u.test(
      held,
    )
  )
    return tell({ aspect: 'limits', attribute: 'retention' }, held.replace(/^only /u, ''))
  return undefined
}

/** `The access token is valid for 20 minutes, the refresh token for 14 days`. */
function readValidity(spoken: SpokenClause): boolean {
  const { verb, subject, reading, args, sentence, clause } = spoken
  const [state, period] = args
  if (verb.lemma !== 'be' || state?.tokens[0]?.lower !== 'valid' || period?.preposition !== 'for')
    return false
  const told = gapsOf(clause, sentence).map(({ begin, to }) => {
    const piece = sentence.slice(begin, to)
    const at = piece.findIndex(({ lower }) => lower === 'for')
    return [reading.thingOf(phraseOf(piece.slice(0, at), reading.text)), piece.slice(at + 1)] as const
  })
  const slot = { aspect: 'limits', attribute: 'valid for' }
  return [[subject?.thing, period.tokens] as const, ...told]
    .map(([thing, tokens]) => {
      const value = amountIn(reading, upToComma(tokens.filter(({ text }) => text !== '.')))
      return value !== undefined && reading.value(thing, slot, value, { by: 'amount' })
    })
    .some(Boolean)
}

const durable =
  /^(?:(?:about|roughly|around|up to|at most|approximately) )?(?:[\d.~–-]+|\p{L}{3,8}) ?(?:ms|s|min|h|(?:second|minute|hour|day|week|month)s?)$/u

/** `The client is published under the MIT licence`, `we release dbt-lint under Apache 2.0`. */
function readLicence(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times, direct } = spoken
  if (!['license', 'publish', 'release'].includes(verb.lemma)) return false
  const under = argumentWith(spoken, 'under')
  if (!under) return false
  const licence = textOf(under.tokens, reading.text)
    .replace(/^(?:the|an?) /iu, '')
    .replace(/ licen[cs]e$/iu, '')
  const things = verb.isPassive
    ? subjects.map(({ thing }) => thing)
    : phrasesIn(reading, direct).flatMap(phrase => reading.thingOf(phrase) ?? [])
  const extra = { ...periodIn(times), by: 'amount' }
  return things
    .map(thing => reading.value(thing, { aspect: 'facts', attribute: 'licence' }, licence, extra))
    .some(Boolean)
}

/** Things that are agreed for a time. */
const bound =
  /\b(?:contract|licen[cs]e|subscription|support|cert(?:ificate)?|warranty|trial|lease|agreement)\b/iu

/** `The key expires on 31 December 2026`, `the contract with Acme ends on …`. */
function expiresOn({ subjects, reading, verb }: SpokenClause, at: string): boolean {
  const slot = { aspect: 'limits', attribute: verb.lemma === 'end' ? 'ends' : 'expires' }
  return subjects
    .map(
      ({ thing, isProject }) => !isProject && reading.value(thing, slot, at.slice(0, 10), { by: 'amount' }),
    )
    .some(Boolean)
}

type Tell = (slot: { aspect: string; attribute: string }, value: string) => boolean

/** `X needs 16 GB of RAM`, `X has 8 nodes`, `the queue has a limit of 7 days`. */
function readHad(spoken: SpokenClause, tell: Tell): boolean {
  const { verb, direct, reading } = spoken
  if (verb.isPassive || !direct) return false
  const words = textOf(upToComma(direct.tokens), reading.text)
  // `message-store needs at least 16 GB of RAM`
  const isQuantity = direct.tokens.some(({ kind }) => kind === 'quantity') && words.split(' ').length <= 8
  if (['need', 'require'].includes(verb.lemma) && isQuantity)
    return tell({ aspect: 'limits', attribute: 'needs' }, words)
  if (verb.lemma !== 'have') return false
  if (
    /^\d[\d.,]*(?: (?:thousand|million|billion))? \p{Ll}+s\b/u.test(words) &&
    spoken.subject?.phrase.determiner !== 'a'
  )
    return tell({ aspect: 'facts', attribute: 'has' }, upToEnd(afterVerb(spoken)))
  // `Revision C has 512 KB flash`
  const [amount, ...of] = upToComma(direct.tokens)
  const measured = of[0]?.lower === 'of' ? of.slice(1) : of
  if (
    amount?.kind === 'quantity' &&
    !amount.text.endsWith('%') &&
    measured.length > 0 &&
    measured.length <= 3
  )
    return tell({ aspect: 'facts', attribute: textOf(measured, reading.text) }, amount.text)
  const [, name, value] =
    /^(?:a |an |the )?(.+?) of (?:about |at most |at least )?(\d.*)$/u.exec(
      textOf(direct.tokens, reading.text),
    ) ?? []
  if (!name || !value || name.split(' ').length > 3) return false
  return tell({ aspect: 'limits', attribute: name }, value)
}

const exposing = /^(?:expose|serve|offer|provide|publish|speak|open)$/u

/** `exposes gRPC on 50051 and metrics on 9090`, `…, MQTT on 8883`. */
export function readPorts({ verb, subject, reading, sentence, clause }: SpokenClause): boolean {
  if (verb.negation || verb.tense === 'past') return false
  const isExposing = exposing.test(verb.lemma) && subject !== undefined && !subject.isProject
  let isRead = false
  for (let at = verb.end + 1; at + 1 < clause.to; at++) {
    const [name, on, port] = sentence.slice(at - 1, at + 2)
    if (on?.lower !== 'on' || !port || !/^\d{3,5}$/u.test(port.text) || !name || name.kind === 'number')
      continue
    if (!/^(?:[.,;]|and|or)$/u.test(sentence[at + 2]?.lower ?? '.')) continue
    const owner = isExposing
      ? subject.thing
      : isTool(name.text)
        ? { name: name.text, type: 'tool' }
        : undefined
    const attribute = isExposing ? `${name.text} port` : 'port'
    isRead = reading.value(owner, { aspect: 'network', attribute }, port.text, { by: 'port' }) || isRead
  }
  return isRead
}

function upToEnd(told: string): string {
  return told.split(/[,;]/u)[0] ?? told
}

function upToComma(tokens: readonly Token[]): readonly Token[] {
  const comma = tokens.findIndex(({ text }) => text === ',')
  return comma < 0 ? tokens : tokens.slice(0, comma)
}

function amountIn(reading: LineReading, tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex(
    ({ cls, kind }) => cls === 'number' && kind !== 'version' && kind !== 'date' && kind !== 'time',
  )
  const told = textOf(tokens, reading.text).replace(/(?<![.,;])[.,;]+$/u, '')
  if (/^an? (?:hour|day|week|month|year|minute)$/iu.test(told)) return told
  if (at < 0 || at > 1) return undefined
  return told.split(' ').length <= 5 ? told : undefined
}

/** Verbs by which one thing makes another work. */
const starting = /^(?:schedule|trigger|start|run|launch|invoke|call)$/u

/** `Backups run nightly at 02:30`. */
export function readSchedule(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times } = spoken
  const [had] =
    /^(?:have|ship|hold|release)$/u.test(verb.lemma) &&
    spoken.subject?.isProject &&
    spoken.direct?.tokens[0] === spoken.sentence[verb.end]
      ? phrasesIn(reading, spoken.direct)
      : []
  if (had && times.schedule)
    return reading.value(
      reading.thingOf(had),
      { aspect: 'schedule', attribute: 'schedule' },
      times.schedule,
      { by: 'schedule' },
    )
  if (
    !times.schedule ||
    verb.negation ||
    (verb.particle === 'out' && !/^(?:go|send|roll)$/u.test(verb.lemma)) ||
    argumentWith(spoken, 'out of') ||
    verb.isImperative ||
    (verb.modal && verb.modal !== 'will')
  )
    return false
  // `Airflow schedules them hourly`
  const isCaller = starting.test(verb.lemma) && !verb.isPassive && spoken.direct !== undefined
  const isTold = (isCaller ? subjectsOf(reading, spoken.direct) : subjects).map(
    ({ thing, isProject, isUser }) =>
      !isProject &&
      !isUser &&
      thing.type !== 'person' &&
      reading.value(thing, { aspect: 'schedule', attribute: 'schedule' }, times.schedule ?? '', {
        ...periodIn({ ...times, at: undefined } as typeof times),
        by: 'schedule',
      }),
  )
  return isTold.some(Boolean)
}

/** `forwards to Mosquitto on port 1883`: the port of what is named before it. */
export function readPortBefore(spoken: SpokenClause, argument: Argument, port: string): boolean {
  const { args, reading, times, verb, subject } = spoken
  const [last] = phrasesIn(reading, args[args.indexOf(argument) - 1]).slice(-1)
  const extra = { ...periodIn(times), by: 'relation' }
  // `X speaks DICOM on port 11112`
  const owner = exposing.test(verb.lemma) && subject ? subject.thing : last?.isProper && reading.thingOf(last)
  return owner ? reading.value(owner, { aspect: 'network', attribute: 'port' }, port, extra) : false
}
