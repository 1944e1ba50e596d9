import { readBeing } from './attributes.js'
import { chosen } from './changes.js'
import { readPeople } from './people.js'
import { type LineReading, type NamedThing, periodIn, user } from './reading.js'
import { readRelations } from './relations.js'
import {
  afterVerb,
  argumentWith,
  endOf,
  isSkipped,
  type SpokenClause,
  spokenClause,
} from './spoken-clause.js'
import { named, tellStatement } from './statements.js'
import { readChange } from './successions.js'
import { clausesOf } from './syntax/clauses.js'
import { isPerson, phraseOf } from './syntax/phrases.js'
import { lemmaOf } from './syntax/tag.js'
import { titleOf } from './syntax/titles.js'
import { type Token, textOf } from './syntax/tokens.js'
import { readUsed } from './uses.js'

export const deciding = new Set(['decide', 'agree', 'resolve', 'vote'])

export const liking = new Set([
  'prefer',
  'favour',
  'favor',
  'like',
  'love',
  'want',
  'enjoy',
  'dislike',
  'hate',
])

const comparedFirst = /^\p{Lu}[\p{L}\d-]* (?:need|want|have|use|get|see|expect|require|must|can|will|are)\b/u

/** Nouns for people, unlike `services like billing`. */
const peopleOf = /(?:[^u]ers|ors|ants|ents|ates|ists|ians|ees|people|folks)$/u

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

/** `Lena prefers X over Y`, `I would rather …`. A wish (`wants`) may be temporary, so it is only proposed. */
export function readPreference(spoken: SpokenClause): boolean {
  const { verb, subject, reading, sentence, clause } = spoken
  const isRather = verb.modal === 'would rather'
  // `I can't bear blueprints`
  const isHated = verb.modal === 'can' && verb.negation && /^(?:stand|bear|abide)$/u.test(verb.lemma)
  const isLiked = liking.has(verb.lemma) && (!verb.modal || verb.modal === 'will')
  if (!isRather && !isHated && (!isLiked || verb.isPassive || verb.isImperative)) return false
  if (
    !subject ||
    (subject.phrase.isPronoun && !subject.isUser && !subject.isProject && subject.thing.type !== 'person')
  )
    return false
  const isGroup = isGroupOfPeople(spoken)
  const isPersonal =
    subject.isUser ||
    subject.isProject ||
    isGroup ||
    likingOf(spoken)?.type === 'person' ||
    subject.thing.type === 'agent' ||
    /\b(?:team|client|customer|desk|office|department|management)\b/u.test(subject.phrase.name)
  if (!isPersonal) return false
  // `The user wants me to write tests first`: how the agent has to work.
  const isForAgent = sentence[verb.end]?.lower === 'me' && sentence[verb.end + 1]?.cls === 'to'
  const isCase = /^it (?:when|if)$/u.test(`${sentence[verb.end]?.lower} ${sentence[verb.end + 1]?.lower}`)
  // `I prefer that you ask`
  const isAsked = sentence[verb.end]?.lower === 'that' && sentence[verb.end + 1]?.lower === 'you'
  const from = (isForAgent && subject.isUser) || isCase || isAsked ? verb.end + 2 : verb.end
  const told = sentence.slice(from, isCase ? sentence.length : clause.to)
  const isWish = ['want', 'like', 'love'].includes(verb.lemma) && told[0]?.cls === 'to'
  if (isWish || /^(?:it|that|this|me|you|them|if)$/u.test(told[0]?.lower ?? '')) return false
  reading.cues.add('preference')
  if (verb.lemma === 'want' && reading.context.isSpoken && subject.isUser) return true
  const person = likingOf(spoken)
  if (person?.type === 'person' && person.name !== user.name) reading.person = person
  const isAgainst =
    verb.negation !== undefined || verb.modal === 'can' || ['dislike', 'hate'].includes(verb.lemma)
  const own = `${isAgainst ? 'not ' : ''}${isRather ? `rather ${verb.word} ` : ''}${textOf(told.slice(0, endOf(told, told.length)), reading.text)}`
  const title = titleOf(told, reading.text, { keeps: 'rather than' })
  return reading.statement(
    isGroup ? reading.project : person && named(person),
    { aspect: 'preferences', attribute: title },
    isGroup ? reading.quote : own,
    { by: 'preference', isSure: verb.lemma !== 'want' || subject.isUser },
  )
}

/** `The drivers prefer …`, `the NOC likes …`: people without a name, so the project has the fact. */
function isGroupOfPeople(spoken: SpokenClause): boolean {
  const { subject, verb } = spoken
  if (!subject || subject.isUser || subject.isProject || subject.phrase.isPronoun) return false
  const { head, tokens, isProper } = subject.phrase
  const isPlural = /[^su]s$/u.test(head.lower) && !/s$/u.test(verb.word) && head.kind === 'word'
  if (/^(?:like|love)$/u.test(verb.lemma) && !peopleOf.test(head.lower)) return false
  // `Customers like Acme need SAML`: the verb follows.
  if (verb.lemma === 'like' && comparedFirst.test(afterVerb(spoken))) return false
  return tokens.length <= 2 && (isPlural || (isProper && /^\p{Lu}{2,5}$/u.test(head.text)))
}

function likingOf({ subject, verb }: SpokenClause): NamedThing | undefined {
  if (!subject || subject.isUser || subject.isProject || subject.thing.type === 'agent') return subject?.thing
  const { phrase, thing } = subject
  // `Urs dislikes …`: a capitalised word with a verb in the singular.
  const isOne =
    phrase.tokens.length === 1 &&
    !phrase.determiner &&
    /^\p{Lu}\p{Ll}+$/u.test(thing.name) &&
    !/(?:ing|ion|ment|er)$/u.test(thing.name) &&
    thing.type !== 'tool' &&
    /s$/u.test(verb.word)
  return { name: thing.name, type: isOne || isPerson(phrase, true) ? 'person' : thing.type }
}

const learnt =
  /^(?:(?:we|i)(?:['’]ve| have)? )?(?:just |recently |finally |also )?(?:learn(?:ed|t)|found(?: out)?|discovered|noticed|realised|realized|figured out|(?:it )?turns out|it turned out|turned out|til|(?:lost|wasted|spent|burn(?:ed|t)) [^.;]{1,30}?(?:minutes?|hours?|days?|weeks?|weekend|afternoon|morning|evening|night|sprint)s? (?:because|since|debugging|chasing|hunting|finding out|learning|realising|realizing|discovering|noticing|figuring out|to (?:find out|learn|realise|realize))|after [^.;:]{1,40}(?:debugging|searching|digging|hunting|investigating)(?:,? (?:we|i) (?:know|knew|saw|found):?|:)|it took (?:us|me) [^.;]*? to (?:learn|find out|realise|realize|notice|discover|figure out|understand))(?: (?:the hard way|today|again|yesterday|last week|recently))?,?(?: that)? (?=\S)/iu

/** `X does Y, which took us a day to find out`; `X does Y, we learned that when …`. */
const learntAfter =
  /^(.{12,}?)(?:,| [-–—])? (?:which|that|it|and it) (?:took|cost) (?:us|me) [^,;.]{1,40}? to (?:find(?: out)?|learn|notice|understand|figure out|discover|debug|see)\b[^,;]{0,30}$|^(.{12,}?)[.;] (?:(?:that|this|it) )?(?:took|cost) (?:us|me) [^,;.]{1,40}$|^(.{12,}?)(?:,| [-–—]) (?:(?:we|i) )?(?:learned|learnt|found|discovered|noticed)(?: out)?(?: (?:that|this|it))?(?: out)? (?:when|after|the hard way|today|only)\b.*$/iu

/** `Apparently Safari ignores it`: seen by the author, who does not know why. */
const seen = /^(?:apparently|in hindsight|in retrospect),? (?=\S)/iu

/** Returns how long the words are that announce a lesson: `we learned the hard way that`; 0 without any. */
export function lessonLead(text: string): number {
  const lead = (learnt.exec(text) ?? seen.exec(text))?.[0].length ?? 0
  return /^(?:how|to|a|an|the way)\b/iu.test(text.slice(lead)) ? 0 : lead
}

/** Returns where a lesson ends that is followed by how it was learned; 0 without any. */
export function lessonEnd(text: string): number {
  const after = learntAfter.exec(text)
  return (after?.[1] ?? after?.[2] ?? after?.[3] ?? '').length
}

/** Records a lesson in its own words. */
export function tellLesson(reading: LineReading, body: readonly Token[]): LineReading {
  reading.cues.add('lesson')
  tellStatement(reading, 'lessons', body, { by: 'lesson' })
  return reading
}
