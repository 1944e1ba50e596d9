import { readBeing } from './attributes.js'
import { chosen } from './changes.js'
import { readPeople } from './people.js'
import { peopleOf } from './preferences.js'
import { periodIn } from './reading.js'
import { readRelations } from './relations.js'
import { argumentWith, isSkipped, type SpokenClause, spokenClause } from './spoken-clause.js'
import { tellStatement } from './statements.js'
import { readChange } from './successions.js'
import { clausesOf } from './syntax/clauses.js'
import { phraseOf } from './syntax/phrases.js'
import { lemmaOf } from './syntax/tag.js'
import type { Token } from './syntax/tokens.js'
import { readUsed } from './uses.js'

const deciding = new Set(['decide', 'agree', 'resolve', 'vote'])

/** `We decided to use X`, `it was agreed that …`, `we agreed on X`. */
export function readDecision(spoken: SpokenClause): boolean {
  const { reading, verb, subject, sentence, clause, args, times } = spoken
  const isTold = verb.tense === 'past' || verb.tense === 'perfect' || verb.isPassive
  const isAccepted =
    ['accept', 'approve', 'adopt'].includes(verb.lemma) && verb.isPassive && sentence[clause.to]?.text === ':'
  if ((!deciding.has(verb.lemma) && !isAccepted) || !isTold || verb.negation) return false
  if (verb.lemma === 'agree' && reading.decided) return false
  const isOurs =
    !subject ||
    subject.isProject ||
    /^it$/iu.test(subject.phrase.name) ||
    verb.isPassive ||
    subject.thing.type === 'person' ||
    peopleOf.test(subject.phrase.head.lower) ||
    /\b(?:team|board|group)$/u.test(subject.phrase.name)
  if (!isOurs || (subject?.phrase.isPronoun && /^(?:they|he|she|you)$/iu.test(subject.phrase.name)))
    return false
  reading.cues.add('decision')
  const infinitive = args.find(({ isInfinitive }) => isInfinitive)
  const that = sentence.findIndex(
    ({ cls, lower }, at) => at >= verb.end && at < clause.to && cls === 'relative' && lower === 'that',
  )
  const isColon = sentence[clause.to]?.text === ':'
  const about = argumentWith(spoken, 'on', 'upon', 'against', 'for')
  const extra = { since: times.at ?? times.since, by: 'decision' }
  const to = endOfSentence(sentence)
  if (infinitive) return decidedTo(spoken, infinitive.tokens, extra)
  if (that >= 0) tellStatementOf(spoken, sentence.slice(that + 1, to), extra)
  else if (isColon) tellStatementOf(spoken, sentence.slice(clause.to + 1, to), extra)
  else if (about) {
    const at = sentence.indexOf(about.tokens[0] as Token)
    tellStatementOf(spoken, sentence.slice(about.preposition === 'against' ? at - 1 : at, clause.to), extra)
    if (about.preposition !== 'against') chosen(spoken, about, extra)
  }
  return true
}

function endOfSentence(sentence: readonly Token[]): number {
  return sentence.at(-1)?.kind === 'mark' ? sentence.length - 1 : sentence.length
}

function tellStatementOf(
  { reading }: SpokenClause,
  tokens: readonly Token[],
  extra: { since?: string | undefined; by: string },
): void {
  const value = reading.quote
  const before = reading.facts.length
  tellStatement(reading, 'decisions', tokens, extra)
  const told = reading.facts[before]
  // The whole sentence is the value, because the reason is in it.
  if (told) told.value = value
  const clauses = clausesOf(tokens)
  let previous: SpokenClause | undefined
  clauses.forEach((clause, at) => {
    if (!clause.verb || isSkipped(clause, clauses, at, previous) || clause.verb.isImperative) return
    const spoken = spokenClause(reading, tokens, clause, previous)
    readPeople(spoken) || readChange(spoken) || readUsed(spoken) || readBeing(spoken) || readRelations(spoken)
    previous = spoken
  })
}

/** Reads the decided action: `use X for Y`, `move to X`. */
function decidedTo(
  spoken: SpokenClause,
  tokens: readonly Token[],
  extra: { since?: string | undefined; by: string },
): boolean {
  const { reading } = spoken
  const isUse =
    /^(?:use|adopt|choose|pick|introduce)$/u.test(tokens[0]?.lower ?? '') ||
    (tokens[0]?.lower === 'go' && tokens[1]?.lower === 'with')
  const body = isUse ? tokens.slice(tokens[0]?.lower === 'go' ? 2 : 1) : tokens
  const before = reading.facts.length
  tellStatement(reading, 'decisions', body, extra)
  const told = reading.facts[before]
  if (told) told.value = reading.quote
  const [clause] = clausesOf(tokens)
  if (!clause?.verb || !reading.project) return true
  const own = spokenClause(reading, tokens, clause, undefined)
  const project = {
    thing: reading.project,
    phrase: phraseOf(tokens, reading.text) ?? spoken.subjects[0]?.phrase,
    isProject: true,
    isUser: false,
  }
  if (!project.phrase) return true
  const inner = {
    ...own,
    verb: { ...own.verb, isImperative: false, tense: 'past' as const },
    subjects: [project as never],
    subject: project as never,
    times: { ...spoken.times, ...own.times },
  }
  if (isUse || /^(?:keep|stay|stick)$/u.test(own.verb.lemma)) {
    const object = own.direct ?? argumentWith(own, 'with', 'for', 'on')
    if (object) chosen(inner, object, { ...periodIn(inner.times), by: 'decision' })
  } else readChange(inner)
  return true
}

/** Verbs of plans that change a project, unlike `we will meet`. */
const planned =
  /^(?:use|adopt|drop|remove|retire|replace|move|switch|migrate|keep|stay|stop|support|deprecate|freeze|postpone|rewrite|split|merge|rename|introduce|archive|standardi[sz]e|sunset|discontinue|ship|upgrade)$/u

/**
 * `We'll drop Node 18 in 5.0`: what the project plans. Without a date it is only a decision, because it is
 * not so yet.
 */
export function readIntention(spoken: SpokenClause): boolean {
  const { reading, verb, subject, sentence, clause, times } = spoken
  if (verb.modal === 'will' && verb.isPassive && times.since) reading.cues.add('decision')
  if (verb.modal !== 'will' || !subject?.isProject) return false
  if (!verb.negation && !/^(?:need|be|have|see|know|get|find)$/u.test(verb.lemma))
    reading.cues.add('decision')
  const isPlan = verb.negation
    ? !/^(?:be|have|know|see|meet|need|get|find)$/u.test(verb.lemma)
    : planned.test(verb.lemma)
  if (times.at || times.since || verb.isPassive || !isPlan) return false
  const told = sentence.slice(verb.negation ? verb.start : verb.at, endOfSentence(sentence))
  const from = told.findIndex(token => lemmaOf(token, 'base') === verb.lemma)
  if (from < 0) return false
  reading.cues.add('decision')
  const before = reading.facts.length
  tellStatement(reading, 'decisions', told.slice(from, clause.to), { by: 'decision' })
  const fact = reading.facts[before]
  if (!fact) return true
  fact.value = reading.quote
  if (verb.negation) fact.attribute = `not ${fact.attribute}`
  return true
}

/** `Caching only helps above 500 users`, `X does not help below Y`: what somebody tried. */
function readGain({ reading, verb, sentence, isOnly, args, subject, previous }: SpokenClause): boolean {
  const isGain = verb.lemma === 'help' || (verb.lemma === 'pay' && verb.particle === 'off')
  const isLimited =
    isOnly || verb.negation === 'not' || verb.adverbs.some(one => /^(?:hardly|barely)$/u.test(one))
  const isTold = isGain && isLimited && verb.tense === 'present' && !verb.modal && !verb.isImperative
  if (!isTold || previous || !subject || subject.thing.type === 'person') return false
  const isBounded = args.some(({ preposition, tokens }) => preposition && tokens.length > 0)
  if (!isBounded || reading.label !== '') return false
  reading.cues.add('lesson')
  return tellStatement(reading, 'lessons', sentence, { by: 'lesson' })
}

/** `X learnt that …` in the middle of a sentence. */
export function readLearnt(spoken: SpokenClause): boolean {
  return readGain(spoken) || readTold(spoken)
}

function readTold({ reading, verb, sentence, clause, subject }: SpokenClause): boolean {
  const isLearning =
    ['learn', 'discover', 'notice', 'realise', 'realize'].includes(verb.lemma) ||
    (verb.lemma === 'find' && verb.particle === 'out')
  if (
    !isLearning ||
    verb.modal ||
    verb.tense === 'progressive' ||
    !(subject?.isProject || subject?.isUser || subject?.thing.type === 'person')
  )
    return false
  const that = sentence.findIndex(
    ({ cls, lower }, at) => at >= verb.end && at < clause.to && cls === 'relative' && lower === 'that',
  )
  if (that < 0) return false
  reading.cues.add('lesson')
  return tellStatement(reading, 'lessons', sentence.slice(that + 1), { by: 'lesson' })
}
