import { type LineReading, periodIn } from './reading.js'
import { afterVerb, argumentWith, phrasesIn, type SpokenClause } from './spoken-clause.js'
import { type Token, textOf } from './syntax/tokens.js'

const keeping = new Set(['keep', 'retain', 'store', 'cache', 'hold', 'save', 'archive'])
const limiting = new Set(['limit', 'cap', 'restrict', 'accept', 'allow', 'handle'])

/** `Backups are kept for 30 days`, `the queue has a limit of 7 days`, `uploads are capped at 5 MB`. */
export function readAmount(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times, direct } = spoken
  if (verb.negation || (verb.modal && verb.modal !== 'will')) return false
  const extra = { ...periodIn(times), by: 'amount' }
  const tell = (slot: { aspect: string; attribute: string }, value: string): boolean =>
    subjects
      .map(({ thing, isProject }) => !isProject && reading.value(thing, slot, value, extra))
      .some(Boolean)
  const period = argumentWith(spoken, 'for', 'after')
  const periodText = period && amountIn(reading, upToComma(period.tokens))
  if (periodText && /\b(?:days?|weeks?|months?|years?|hours?|minutes?)\b|\d ?(?:d|h)$/u.test(periodText)) {
    if (keeping.has(verb.lemma)) return tell({ aspect: 'limits', attribute: 'retention' }, periodText)
    if (verb.lemma === 'expire') return tell({ aspect: 'limits', attribute: 'expires after' }, periodText)
  }
  const [lasting] = keeping.has(verb.lemma) && verb.isPassive ? phrasesIn(reading, direct) : []
  const lastingText = lasting && amountIn(reading, lasting.tokens)
  if (lastingText && /\b(?:days?|weeks?|months?|years?|hours?)\b/u.test(lastingText))
    return tell({ aspect: 'limits', attribute: 'retention' }, lastingText)
  const limited =
    limiting.has(verb.lemma) && verb.isPassive
      ? amountIn(reading, argumentWith(spoken, 'to', 'at')?.tokens ?? [])
      : undefined
  if (limited) return tell({ aspect: 'limits', attribute: 'limit' }, limited)
  const allowed =
    ['allow', 'permit', 'accept', 'handle', 'support'].includes(verb.lemma) && !verb.isPassive && direct
      ? /^(?:about |at most |up to )?\d[\d.,]* [\p{L} ]+ (?:per|an?) (?:second|minute|hour|day|month|key|user|client)(?: (?:per|for each) \p{L}+)?(?=$| (?:on|for|in|with|without|from)\b)/u.exec(
          afterVerb(spoken),
        )?.[0]
      : undefined
  if (allowed) return tell({ aspect: 'limits', attribute: 'limit' }, allowed)
  if (verb.lemma === 'run' && !verb.isPassive) {
    const rate = amountIn(reading, argumentWith(spoken, 'at')?.tokens ?? [])
    if (rate) return tell({ aspect: 'facts', attribute: 'rate' }, rate)
  }
  const under = ['license', 'publish', 'release'].includes(verb.lemma)
    ? argumentWith(spoken, 'under')
    : undefined
  if (under) {
    const licence = textOf(under.tokens, reading.text)
      .replace(/^(?:the|an?) /iu, '')
      .replace(/ licen[cs]e$/iu, '')
    const things = verb.isPassive
      ? subjects.map(({ thing }) => thing)
      : phrasesIn(reading, direct).flatMap(phrase => reading.thingOf(phrase) ?? [])
    return things
      .map(thing => reading.value(thing, { aspect: 'facts', attribute: 'licence' }, licence, extra))
      .some(Boolean)
  }
  if (verb.lemma !== 'have' || !direct || verb.isPassive) return false
  const [, name, value] =
    /^(?:a |an |the )?(.+?) of (?:about |at most |at least )?(\d.*)$/u.exec(
      textOf(direct.tokens, reading.text),
    ) ?? []
  if (!name || !value || name.split(' ').length > 3) return false
  return tell({ aspect: 'limits', attribute: name }, value)
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

/** `Backups run nightly at 02:30`. */
export function readSchedule(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times } = spoken
  const [had] = verb.lemma === 'have' && spoken.subject?.isProject ? phrasesIn(reading, spoken.direct) : []
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
    verb.particle === 'out' ||
    argumentWith(spoken, 'out of') ||
    verb.isImperative ||
    (verb.modal && verb.modal !== 'will')
  )
    return false
  const isTold = subjects.map(
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
