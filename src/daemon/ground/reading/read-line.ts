import { readAlias, readAsides } from './aliases.js'
import { readAmount, readPorts, readSchedule } from './amounts.js'
import { namesProperty, readBeing, readKeyValue } from './attributes.js'
import { isEnding } from './changes.js'
import { readCommit } from './commits.js'
import {
  lessonEnd,
  lessonLead,
  readDecision,
  readIntention,
  readLearnt,
  readPreference,
  tellLesson,
} from './decisions.js'
import { noteProblem, tellsFault } from './faults.js'
import { readOpen, readOpenBeing } from './open-facts.js'
import { readContact, readPeople } from './people.js'
import { readAddressLine } from './places.js'
import { readProcedure } from './procedures.js'
import { LineReading, type ReadingContext } from './reading.js'
import { readRelations, readTreated } from './relations.js'
import { argumentWith, isSkipped, type SpokenClause, spokenClause } from './spoken-clause.js'
import { readRule, tellStatement } from './statements.js'
import { readChange } from './successions.js'
import { type Clause, clausesOf } from './syntax/clauses.js'
import { phraseOf } from './syntax/phrases.js'
import { fullSentences, leadInLength } from './syntax/shorthand.js'
import { isForm, lemmaOf, tag } from './syntax/tag.js'
import { periodOf } from './syntax/times.js'
import { titleOf } from './syntax/titles.js'
import { sentencesIn, type Token, textOf, tokensOf, withAsides } from './syntax/tokens.js'
import { topicParts } from './syntax/topic-parts.js'
import { readToolLine, readUsed } from './uses.js'

export const labels =
  /^(?:\*\*)?((?:adr|rfc)[- ]?\d+|(?:decision|decided|agreed)(?: (?:in|at|on|with|by|of|from) [^:]{2,40}| [#\d][^ :]{0,12})?|rule|policy|convention|known (?:problem|issue|bug)|issue|bug|flaky|problem|caveat|gotcha|lessons?(?: learn(?:ed|t))?(?: (?:from|of|after) [^:.]{2,40})?|learned|learnt|learning|til|interesting|post-?mortem(?: [^:.]{2,40})?|(?:(?:discussed|talked|spoke|met|meeting|call|sync|aligned|review) [^:.]{2,60}?)?(?:outcome|result|conclusion|verdict)|preference|fact|note|fyi|nb|reminder|heads[- ]up|warning|important|careful|attention|update|workaround)(?: \([^)]*\))?(?:\*\*)?\s*(?::|—|–| -)(?:\*\*)?\s+/iu
/** `Discussed with legal on 2026-05-06, outcome: …`. */
const concluded = /(?:\b(\d{4}-\d\d-\d\d)[ ,–—-]{1,4})?\b(?:outcome|result|conclusion|verdict)$/u

/** `2026-04-12: …`: the day of an entry, from which its other dates count. */
export const dayOf = /^(?:\[(\d{4}-\d\d-\d\d)\]|(\d{4}-\d\d-\d\d)(?=:| [-–—]))(?::| [-–—])?\s+/u

/** How often a telegram is written as sentences that are telegrams again. */
const mostRewrites = 3

/** Reads one line of a note: its facts, and the signs of its type. */
export function readLine(
  line: string,
  given: ReadingContext,
  { isLine = true, rewrites = 0 } = {},
): LineReading {
  const entry = dayOf.exec(line)
  const dated = line.slice(entry?.[0].length)
  const text = dated.slice(leadInLength(dated))
  const day = entry?.[1] ?? entry?.[2]
  const context = day ? { ...given, saidAt: `${day}T12:00:00.000Z` } : given
  const rewritten = (whole: string | undefined): LineReading | undefined =>
    whole === undefined || rewrites >= mostRewrites
      ? undefined
      : readRewritten(text, whole, context, rewrites)
  const full = rewritten(fullSentences(text, context.isAlone === true))
  if (full) return full
  const reading = new LineReading(text, context)
  reading.quote = bareEnd(text)
  if (readCommit(reading) || readAddressLine(reading)) return reading
  const label = labels.exec(text)
  reading.label = label?.[1]?.toLowerCase() ?? ''
  const end = concluded.exec(reading.label)
  if (end) reading.label = `decision ${end[1] ?? ''}`
  let from = label?.[0].length ?? 0
  const lead = lessonLead(text.slice(from))
  const isLesson = /learn|lesson|^til|^interesting|mortem/u.test(reading.label) || lead > 0
  from += lead
  const sentences = sentencesIn(withAsides(tokensOf(text).filter(({ start }) => start >= from)))
  const isKnown = (name: string): boolean => context.find(name) !== undefined
  for (const sentence of sentences) tag(sentence, isKnown)
  if (isLesson) return tellLesson(reading, firstStatement(sentences.flat()))
  const told = lessonEnd(reading.quote)
  if (told > 0)
    return tellLesson(
      reading,
      sentences.flat().filter(({ end }) => end <= told),
    )
  if (readProcedure(reading, sentences, from)) return reading
  // `Backend lead: Ann. Frontend lead: Bo.`
  const areKeys = sentences.every(sentence => sentence.slice(1, 5).some(({ text: mark }) => mark === ':'))
  reading.areKeys = areKeys && sentences.length > 1
  for (const sentence of sentences)
    readSentence(reading, sentence, isLine && (sentences.length === 1 || areKeys))
  readLabelled(reading, sentences.flat())
  tellDecision(reading, sentences[0] ?? [])
  const isUnread = reading.facts.length === 0 && reading.cues.size === 0 && reading.label === ''
  return (isUnread ? rewritten(topicParts(text)) : undefined) ?? reading
}

/** Reads a telegram by its sentences; undefined if they say nothing. */
function readRewritten(
  text: string,
  whole: string,
  context: ReadingContext,
  rewrites: number,
): LineReading | undefined {
  if (whole === bareEnd(text)) return undefined
  const [told = readLine('', context), ...more] = whole
    .split('\n')
    .map(one => readLine(one, context, { rewrites: rewrites + 1 }))
  told.facts.push(...more.flatMap(({ facts }) => facts))
  for (const fact of told.facts) fact.quote = text.includes(fact.quote) ? fact.quote : bareEnd(text)
  return told.facts.length > 0 ? told : undefined
}

function bareEnd(text: string): string {
  return text.replace(/(?<![.!\s])[.!\s]+$/u, '')
}

const reasoned = /\b(?:instead of|rather than|because|in favou?r of|from the)\b/iu

/** Records a decision in its own words if its parts say nothing. */
function tellDecision(reading: LineReading, sentence: readonly Token[]): void {
  const { cues } = reading
  const isOpen = reading.facts.length === 0 && cues.has('decision') && reasoned.test(reading.quote)
  if (!isOpen || [...cues].some(cue => cue === 'rule' || cue === 'hedge' || cue === 'lesson')) return
  tellStatement(reading, 'decisions', sentence, { by: 'decision' })
}

function firstStatement(tokens: readonly Token[]): readonly Token[] {
  const end = tokens.findIndex(({ text }) => text === ';')
  return end > 0 ? tokens.slice(0, end) : tokens
}

/** Records the problem, rule or decision that a label announces, in the words of the note. */
function readLabelled(reading: LineReading, tokens: readonly Token[]): void {
  const { label } = reading
  if (/^(?:decision|decided|agreed|adr|rfc)/u.test(label)) {
    reading.cues.add('decision')
    const dated = periodOf(label.replace(/^\w+ (?:(?:in|at|on|of|from) )?/u, ''), reading.context.saidAt)
    if (!reading.facts.some(({ aspect }) => aspect === 'decisions'))
      tellStatement(reading, 'decisions', sentencesIn(tokens)[0] ?? [], {
        by: 'decision',
        since: dated?.first.toISOString(),
      })
  }
  if (/^(?:rule|policy|convention)$/u.test(label)) reading.cues.add('rule')
  if (label === 'preference') reading.cues.add('preference')
  if (/^(?:known|issue|bug|flaky|problem|caveat|gotcha)/u.test(label) || around.test(reading.text))
    reading.cues.add('problem')
  if (
    reading.cues.has('problem') &&
    ![...reading.cues].some(cue => ['decision', 'rule', 'preference', 'lesson', 'procedure'].includes(cue))
  )
    readProblem(reading, tokens)
}

/** The text about a workaround, behind its fault. */
const around = /[;,.]\s*(?:a |the )?(?:workaround|work-around|fix|solution)(?: is)?:?\s+(.+?)\.?$/iu
/** `…; split them until that is fixed`: what helps meanwhile. */
const stopgap = /[;.,] (\p{L}[^;,]{2,60} until (?:that|this|it|then|they)\b[^;]{0,60}?)\.?$/iu
const fewestWords = 6

function readProblem(reading: LineReading, tokens: readonly Token[]): void {
  const [first = []] = sentencesIn(tokens)
  // `The API is slow` may be over in an hour.
  if (reading.label === '' && first.length < fewestWords) return
  tellStatement(reading, 'problems', firstStatement(first), { by: 'problem' })
  // An order in a note about a problem is its workaround.
  const title = reading.facts.find(({ aspect }) => aspect === 'problems')?.attribute
  for (const fact of reading.facts)
    if (fact.aspect === 'rules' && title) Object.assign(fact, { aspect: 'workarounds', attribute: title })
  const [, told] = around.exec(reading.text) ?? stopgap.exec(reading.text) ?? []
  if (told && reading.project && title)
    reading.statement(reading.project, { aspect: 'workarounds', attribute: title }, told, { by: 'problem' })
}

const hedges =
  /\b(?:maybe|perhaps|probably|possibly|apparently|supposedly|allegedly|not sure|unsure|unclear|undecided|(?:not|never|n['’]t) decided|i (?:think|guess|believe)|(?:said|(?<!\b(?:spec|standard|docs?|documentation|manual|contract|header|readme|licen[cs]e|\p{Lu}{2,}-\d+) )says|heard|claims?) (?:that )?|(?<!\b(?:is|are|was|were|be|been) )used to|(?<!\b(?:not|never|n['’]t|no) [^,;.]{0,60})any ?more|for example|e\.g\.|as if|according to|it (?:seems|looks|appears)|(?:suggest(?:s|ed)?|propos(?:es|ed)|hop(?:es?|ed)|wish(?:es|ed)?|doubts?|wonders?) (?:that|if|whether))\b|^(?:either|imagine|assume|pretend)\b/iu
const opensCondition = new Set([
  'if',
  'when',
  'whenever',
  'unless',
  'once',
  'in case',
  'while',
  'although',
  'suppose',
  'though',
  'before',
  'after',
  'should',
  'until',
  'till',
])

/** `There is a race between A and B`. */
const thereIsFault =
  /^there(?:['’]s| is| are) (?:still )?(?:an? |some |several )?(?:rare |known |subtle |nasty )?(?:race|(?:memory )?leak|deadlock|bug|regression|glitch|mismatch|bottleneck)/iu

/** `…, nobody knows why`: a fault that is still there. */
const openFault =
  /\b(?:nobody (?:has )?(?:looked|knows why|knows the cause|fixed)|(?:not|never) (?:yet )?(?:fixed|understood|investigated|solved)\b|(?:vendor|provider|supplier|upstream|support|they) (?:is|are|has been|have been|was|were)? ?(?:informed|notified|knows?|aware)\b|no eta\b|still open\b|no (?:real |proper )?fix\b|(?:root )?cause (?:is )?(?:still )?(?:unknown|unclear)|no (?:idea|clue) why|(?:still )?needs? (?:investigation|investigating|fixing|a fix)|(?:cannot|can['’]?t) (?:be )?reproduced?)/iu

/** `… (Android bug, no fix yet)`. */
const faultAside = /\((?:[^()]{0,40} )?(?:bug|regression|no fix yet|known issue)\b[^()]*\)/iu

function readSentence(reading: LineReading, sentence: readonly Token[], isLine: boolean): void {
  const [first] = sentence
  const last = sentence.at(-1)
  if (!first || !last) return
  reading.quote = reading.text.slice(first.start, last.end).replace(/(?<![.!\s])[.!\s]+$/u, '')
  if (last.text === '?' || /^(?:…|\.\.\.)$/u.test(last.text)) return
  // A reason may be unclear, the decision is not.
  if (
    hedges.test(reading.quote.replace(/,? (?:because |since (?=(?:the|it|they|nobody|no one) )).+$/iu, ''))
  ) {
    reading.cues.add('hedge')
    return
  }
  if (
    tellsFault(reading.quote) ||
    [thereIsFault, faultAside, openFault].some(form => form.test(reading.quote))
  )
    reading.cues.add('problem')
  readAsides(reading, sentence)
  if (readAlias(reading)) return
  if (isForbidden(sentence)) {
    const [clause] = clausesOf(sentence)
    if (clause) readNoun(reading, sentence, { ...clause, lead: [] })
    return
  }
  const [, ordered] = sentence
  if (/^(?:never|always)$/u.test(first.lower) && (ordered?.cls === 'noun' || ordered?.kind === 'code')) {
    readUnknownOrder(reading, sentence)
    return
  }
  const clauses = clausesOf(sentence)
  if (isForm(first, 'ing') && isEnding(lemmaOf(first, 'ing')) && !clauses[0]?.verb)
    reading.cues.add('decision')
  if (readHeading(reading, sentence, clauses, isLine)) return
  const [head] = clauses
  if (head?.before && !head.hangsOn) readNoun(reading, sentence.slice(...head.before), { ...head, lead: [] })
  let previous: SpokenClause | undefined
  let isConditional =
    opensCondition.has(first.lower) && clauses[0]?.verb !== undefined && clauses[0].begin > 0
  clauses.forEach((clause, at) => {
    if (isConditional && at > 0 && clause.lead.some(({ text }) => text === ',')) isConditional = false
    if (!clause.verb || isConditional || isSkipped(clause, clauses, at, previous, reading.context.isAlone)) {
      if (!clause.verb && at === 0) readNoun(reading, sentence, clause)
      const isNominal = !clause.verb || (clause.verb.at === 0 && sentence[1]?.cls === 'to')
      if (clauses.length === 1 && isNominal) readRestriction(reading, sentence)
      if (!clause.verb && at === 0) readShortRule(reading)
      if (!clause.verb && isLine && clauses.length === 1) readToolLine(reading, sentence)
      return
    }
    const spoken = spokenClause(reading, sentence, clause, previous)
    readClause(spoken)
    previous = spoken
  })
}

/** `Never arm the motors`: the word after `never` is a verb, known or not. */
function readUnknownOrder(reading: LineReading, sentence: readonly Token[]): void {
  addRule(reading, titleOf(sentence.slice(1), reading.text))
}

/** `No direct writes to the table, everything goes through X`: the noun looks like a verb. */
function isForbidden(sentence: readonly Token[]): boolean {
  const at = sentence.findIndex(token => isForm(token, 's'))
  const before = sentence.slice(1, at)
  return (
    sentence[0]?.lower === 'no' &&
    at > 0 &&
    at <= 3 &&
    before.every(({ cls }) => ['adjective', 'noun', 'name'].includes(cls)) &&
    ['to', 'preposition'].includes(sentence[at + 1]?.cls ?? '')
  )
}

/** `Changes to the firewall only with a ticket`. */
function readRestriction(reading: LineReading, sentence: readonly Token[]): void {
  const at = sentence.findIndex(({ lower }) => lower === 'only')
  if (
    at < 1 ||
    !/^(?:with|after|by|via|through|if|when|once|on|at|during)$/u.test(sentence[at + 1]?.lower ?? '')
  )
    return
  addRule(reading, titleOf(sentence, reading.text))
}

const shortRule =
  /^(?:\p{L}+ ){1,3}(?:off|on|out|away|closed|locked|first|down|up) (?:when|before|while|during|after|until|unless) \S/iu

/** `Props off when flashing`, `phones away during calls`. */
function readShortRule(reading: LineReading): void {
  if (!shortRule.test(reading.quote) || reading.facts.length > 0 || reading.label !== '') return
  addRule(reading, shortened(reading.quote))
}

/** `No pandas in production code`: a noun with `no` is a rule. */
function readNoun(reading: LineReading, sentence: readonly Token[], clause: Clause): void {
  if (sentence[0]?.lower !== 'no' || clause.lead.length > 0) return
  const words = textOf(sentence, reading.text)
  if (/\b(?:needed|required|necessary|problems?|issues?|idea|longer|changes?d?|news)\b/iu.test(words)) return
  if (/^(?:decision|adr|rfc)/u.test(reading.label)) return void reading.cues.add('decision')
  const title = textOf(sentence.slice(1), reading.text).split(/[,;.]/u)[0] ?? ''
  addRule(reading, shortened(`no ${title}`))
}

/** Adds a rule of the project, with the quote as its text. */
function addRule(reading: LineReading, attribute: string): void {
  reading.cues.add('rule')
  reading.statement(reading.project, { aspect: 'rules', attribute }, reading.quote, { by: 'rule' })
}

/** The first words of a text, as the name of a rule. */
function shortened(text: string): string {
  return text.split(' ').slice(0, 9).join(' ')
}

/** `Engine: Godot 4.3, language: C#`: keys with their values. */
function pairsIn(sentence: readonly Token[]): (readonly [key: readonly Token[], value: readonly Token[]])[] {
  const parts: Token[][] = [[]]
  sentence.forEach((token, at) => {
    const isNext =
      /^[,;]$/u.test(token.text) && sentence.slice(at + 2, at + 6).some(({ text }) => text === ':')
    if (isNext) parts.push([])
    else parts.at(-1)?.push(token)
  })
  const cut = parts.map(part => {
    const colon = part.findIndex(({ text }) => text === ':')
    return [part.slice(0, colon), part.slice(colon + 1)] as const
  })
  return cut.every(([key, value]) => key.length > 0 && key.length <= 4 && value.length > 0) ? cut : []
}

/** `region: eu-central-1`, `Frame budget: 16 ms`. */
function readHeading(
  reading: LineReading,
  sentence: readonly Token[],
  clauses: readonly Clause[],
  isLine: boolean,
): boolean {
  if (!sentence.some(({ text }) => text === ':')) return false
  const pairs = pairsIn(sentence)
  if (pairs.length > 1)
    return pairs
      .map(([key, value]) => {
        const phrase = phraseOf(key, reading.text)
        return phrase !== undefined && readKeyValue(reading, phrase, value, isLine)
      })
      .some(Boolean)
  const [head, body] = clauses
  // `Max uploads: 25 MB`: a plural looks like a verb.
  const isPlural = head?.verb?.end === head?.to && isForm(sentence[(head?.to ?? 0) - 1], 's')
  const told = textOf(sentence.slice(head?.begin, head?.to), reading.text)
  // `Rate limit for partners: 50 a second`
  const isNoun =
    isPlural || (namesProperty(told) && /^\p{L}+ [^,;]{0,40}$/u.test(told) && sentence[0]?.cls !== 'pronoun')
  if (!head || !body || (head.verb && !isNoun) || sentence[head.to]?.text !== ':') return false
  const key = phraseOf(sentence.slice(head.begin, head.to), reading.text)
  if (!key || key.tokens.length > 6 || reading.label) return false
  // `Owner: Ann, her deputy is Ben`
  const value = body.before ? sentence.slice(head.to + 1, body.before[1]) : sentence.slice(body.begin)
  return readKeyValue(reading, key, value, isLine)
}

/** Subjects that state something without naming anything. */
const mayBeUnclear = new Set(['it', 'nobody', 'nothing', 'no', 'none'])

function readClause(spoken: SpokenClause): void {
  const { reading, verb, clause, sentence } = spoken
  for (const subject of spoken.subjects) reading.note(subject)
  const isHedged =
    ['might', 'could', 'would'].includes(verb.modal ?? '') ||
    (verb.modal === 'may' && !spoken.isOnly && !verb.negation && sentence[clause.begin]?.lower !== 'no') ||
    verb.modal === 'used to'
  if (isHedged || (verb.modal && verb.tense === 'past')) {
    reading.cues.add('hedge')
    return
  }
  if (spoken.isUnclear && !mayBeUnclear.has(sentence[clause.begin]?.lower ?? '')) return
  if (readDecision(spoken) || readLearnt(spoken)) return
  noteProblem(spoken)
  if (/^(?:decision|adr|rfc)/u.test(reading.label) && verb.isImperative) return
  if (readContact(spoken) || readPreference(spoken) || readRule(spoken)) return
  if (readIntention(spoken)) return
  if (spoken.subject?.isProject && argumentWith(spoken, 'rather than') && !verb.negation)
    reading.cues.add('decision')
  const next = sentence[clause.to]
  if (next && /^(?:if|unless|even if)$/u.test(next.lower)) return
  const before = reading.facts.length
  // `answers 503 every Sunday` is a problem, not a schedule.
  if (!reading.cues.has('problem')) readSchedule(spoken)
  readAmount(spoken)
  readPorts(spoken)
  if (readPeople(spoken) || readChange(spoken) || readUsed(spoken) || readBeing(spoken)) return
  const isRead = readRelations(spoken)
  if (!readTreated(spoken) && !isRead && reading.facts.length === before)
    readOpenBeing(spoken) || readOpen(spoken)
}
