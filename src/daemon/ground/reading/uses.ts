import { type LineReading, periodIn, type Subject } from './reading.js'
import { isPart, versionFor } from './related.js'
import { argumentsIn, argumentWith, gapWords, phrasesIn, type SpokenClause } from './spoken-clause.js'
import { phrasesOf } from './syntax/phrases.js'
import { type Token, textOf } from './syntax/tokens.js'
import { isTool, languages } from './words/names.js'

/** `dbt is used for all transformations`: the project uses it. */
export function readUsed(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times } = spoken
  if (readNeeded(spoken) || readHandler(spoken) || readStaying(spoken) || readMeans(spoken)) return true
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

const social =
  /^(?:be|compete|compare|talk|speak|meet|discuss|agree|experiment|play|negotiate|confuse|struggle|start)$/u

/** `We deploy with Argo CD`, `we test everything with Vitest`: the project uses it. */
function readMeans(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times } = spoken
  const isSent = /^(?:log|send|ship|report|push|stream|export|forward|publish)$/u.test(verb.lemma)
  const means = argumentWith(spoken, 'with', 'via', 'through', 'using', ...(isSent ? ['to'] : []))
  if (!means || !subject?.isProject || verb.isPassive || verb.negation || verb.modal) return false
  if (!/^(?:present|progressive)$/u.test(verb.tense) || social.test(verb.lemma) || verb.isImperative)
    return false
  const extra = { ...periodIn(times), by: 'relation' }
  // `We log crashes to Sentry and events to PostHog`
  const others = gapWords(spoken.clause, spoken.sentence).flatMap(words =>
    phrasesOf(words.slice(words.findIndex(({ lower }) => lower === means.preposition) + 1), reading.text),
  )
  const isRead = [...phrasesIn(reading, means), ...others].map(phrase => {
    const thing = reading.thingOf(phrase)
    if (thing?.type !== 'tool' || !phrase.isProper) return false
    versionFor(reading, reading.project, phrase, thing, extra)
    return reading.link(reading.project, 'uses', thing, extra)
  })
  return isRead.some(Boolean)
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

/** Verbs of work that a tool does for a project, unlike what it does by its nature. */
const serving =
  /^(?:handle|render|serve|power|manage|schedule|collect|track|monitor|host|route|sign|scan|lint|bundle|generate|process|transcode|index|provision|orchestrate|provide|cover|run|build|deploy|record|gather|watch|aggregate|balance|store)$/u

/** `Wwise handles all audio`: the project uses it, and for what. */
function readHandler(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times, direct } = spoken
  if (!serving.test(verb.lemma) || verb.isPassive || verb.negation || verb.modal) return false
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

const bound = /^(?:min|max|minimum|maximum|target|default)$/iu

/** `Postgres 16 and Redis for sessions`, `Node 22, pnpm 9`: a line of nothing but technologies. */
export function readToolLine(reading: LineReading, sentence: readonly Token[]): boolean {
  const [first, purpose, more] = argumentsIn(sentence.filter(({ text }) => !/^[.!]$/u.test(text)))
  if (!first || first.preposition !== undefined || more || (purpose && purpose.preposition !== 'for'))
    return false
  const named = phrasesIn(reading, first)
  const isTold = named.some(({ version }) => version !== undefined) || purpose !== undefined
  const pairs = purpose ? [] : named.map(({ tokens, version }) => ({ key: tokens, version }))
  if (pairs.length > 1 && pairs.every(({ key, version }) => version && bound.test(key[0]?.text ?? '')))
    return named
      .map(({ name, version = '' }) =>
        reading.value(reading.project, { aspect: 'facts', attribute: name }, version, { by: 'tools' }),
      )
      .some(Boolean)
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

/** `X is a fork of Y`, `X is a wrapper around Y`. */
export function readFork(
  { reading, direct, args }: SpokenClause,
  { thing }: Subject,
  extra: { since: string | undefined; by: string },
): boolean {
  const [, kind, of] =
    /^(?:a |an |the )?(fork|clone|port|wrapper|mirror|replica|copy|successor|part) (of|around) /iu.exec(
      textOf([...(direct?.tokens ?? []), ...args.slice(1).flatMap(({ tokens }) => tokens)], reading.text),
    ) ?? []
  if (!kind || !of || !direct) return false
  const at = direct.tokens.findIndex(({ lower }) => lower === of)
  const [object] =
    at > 0
      ? phrasesOf(direct.tokens.slice(at + 1), reading.text)
      : phrasesIn(
          reading,
          args.find(({ preposition }) => preposition === of),
        )
  if (!object || (!object.isProper && !isPart(object))) return false
  const other = reading.thingOf(object)
  const isTold = reading.link(thing, `${kind.toLowerCase()} ${of}`, other, extra)
  if (isTold && other) versionFor(reading, thing, object, other, extra)
  return isTold
}

/** `The pipeline is a Nextflow 24.04 workflow`: made with what is named inside. */
export function readMadeOf(
  { reading, direct }: SpokenClause,
  { thing }: Subject,
  extra: { since: string | undefined; by: string },
): boolean {
  const tokens = direct?.tokens ?? []
  const first = tokens.findIndex(({ cls }) => cls !== 'adverb')
  if (
    !/^(?:a|an|our|the)$/u.test(tokens[first]?.lower ?? '') ||
    tokens.at(-1)?.cls === 'name' ||
    tokens.at(-1)?.cls === 'number'
  )
    return false
  const at = tokens.findIndex(({ text }) => isTool(text))
  const tool = tokens[at]
  const last = tokens.at(-1)
  const isVersioned = /^(?:version|number)$/u.test(tokens[at + 1]?.kind ?? '') && last?.cls === 'noun'
  if (
    !tool ||
    (!isVersioned &&
      !/^(?:classifier|model|monolith|microservice|binary|program|crate|module|wrapper|chart|image|dashboard|topic|lambda|operator|extension|addon|client|daemon|worker|cli|tool|dag|notebook|game|firmware|frontend|stack|setup|spa|package|gem|workflow|pipeline|app|application|service|site|server|cluster|project|monorepo|library|plugin|function|job|bot|database|instance|api|backend|frontend|store|script|container)$/u.test(
        last?.lower ?? '',
      ))
  )
    return false
  const object = reading.named(tool.text, 'tool')
  const next = tokens[at + 1]
  const relation = languages.has(tool.lower) ? 'written in' : 'uses'
  const isTold = reading.link(thing, relation, object, extra)
  if (next?.kind === 'version' || (next?.kind === 'number' && /^\d+$/u.test(next.text)))
    versionFor(reading, thing, { version: next.text }, object, extra)
  return isTold
}
