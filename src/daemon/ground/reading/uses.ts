import { type LineReading, periodIn } from './reading.js'
import { versionFor } from './relations.js'
import { argumentsIn, argumentWith, phrasesIn, type SpokenClause } from './spoken-clause.js'
import type { Token } from './syntax/tokens.js'
import { isTool } from './words/names.js'

/** `dbt is used for all transformations`: the project uses it. */
export function readUsed(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times } = spoken
  if (readNeeded(spoken) || readHandler(spoken) || readStaying(spoken)) return true
  if (verb.lemma !== 'use' || !verb.isPassive || verb.negation) return false
  const purpose = argumentWith(spoken, 'for', 'as', 'in', 'by')
  if (!purpose) return false
  let isRead = false
  const extra = { ...periodIn(times), by: 'relation' }
  for (const { thing, phrase } of subjects) {
    if (!phrase.isProper) continue
    isRead = reading.link(reading.project, 'uses', thing, extra) || isRead
    versionFor(reading, reading.project, phrase, thing, extra)
    if (purpose.preposition !== 'for') continue
    for (const one of phrasesIn(reading, purpose))
      if (one.tokens.length <= 4)
        reading.value(reading.project, { aspect: 'tools', attribute: one.name }, thing.name, extra)
  }
  return isRead
}

/** `ffmpeg stays`: the project goes on with it. */
function readStaying({ verb, subject, reading, args }: SpokenClause): boolean {
  if (!/^(?:stay|remain)$/u.test(verb.lemma) || verb.negation || args.length > 0) return false
  if (subject?.thing.type !== 'tool') return false
  reading.cues.add('decision')
  versionFor(reading, reading.project, subject.phrase, subject.thing, { by: 'relation' })
  return reading.link(reading.project, 'uses', subject.thing, { by: 'relation' })
}

/** `Python 3.11 is required`. */
function readNeeded({ verb, subjects, reading, times }: SpokenClause): boolean {
  if (verb.lemma !== 'require' || !verb.isPassive || verb.negation) return false
  const extra = { ...periodIn(times), by: 'relation' }
  return subjects
    .map(({ thing, phrase }) => {
      if (!phrase.isProper || !reading.link(reading.project, 'depends on', thing, extra)) return false
      versionFor(reading, reading.project, phrase, thing, extra)
      return true
    })
    .some(Boolean)
}

/** `Wwise handles all audio`: the project uses it, and for what. */
function readHandler(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times, direct } = spoken
  if (
    !['handle', 'render', 'serve', 'power', 'manage'].includes(verb.lemma) ||
    verb.isPassive ||
    verb.negation ||
    verb.modal
  )
    return false
  if (subject?.thing.type !== 'tool' || !subject.phrase.isProper) return false
  const extra = { ...periodIn(times), by: 'relation' }
  const isRead = phrasesIn(reading, direct)
    .filter(({ isProper, tokens }) => !isProper && tokens.length <= 4)
    .map(({ name }) =>
      reading.value(reading.project, { aspect: 'tools', attribute: name }, subject.thing.name, extra),
    )
  if (!isRead.some(Boolean)) return false
  versionFor(reading, reading.project, subject.phrase, subject.thing, extra)
  return reading.link(reading.project, 'uses', subject.thing, extra)
}

/** `Postgres 16 and Redis for sessions`, `Node 22, pnpm 9`: a line of nothing but technologies. */
export function readToolLine(reading: LineReading, sentence: readonly Token[]): boolean {
  const [first, purpose, more] = argumentsIn(sentence.filter(({ text }) => !/^[.!]$/u.test(text)))
  if (!first || first.preposition !== undefined || more || (purpose && purpose.preposition !== 'for'))
    return false
  const named = phrasesIn(reading, first)
  const isTold = named.some(({ version }) => version !== undefined) || purpose !== undefined
  if (!isTold || !named.every(({ name }) => isTool(name))) return false
  const extra = { by: 'tools' }
  for (const phrase of named) {
    const thing = reading.thingOf(phrase)
    if (!thing || !reading.link(reading.project, 'uses', thing, extra)) continue
    versionFor(reading, reading.project, phrase, thing, extra)
  }
  const last = reading.thingOf(named.at(-1))
  for (const one of phrasesIn(reading, purpose))
    if (last && one.tokens.length <= 4)
      reading.value(reading.project, { aspect: 'tools', attribute: one.name }, last.name, extra)
  return true
}
