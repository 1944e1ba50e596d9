import type { LineReading, Subject } from './reading.js'
import type { Clause } from './syntax/clauses.js'
import { type Phrase, phraseOf, phrasesOf } from './syntax/phrases.js'
import { formsOf, isForm } from './syntax/tag.js'
import { type Times, withoutTimes } from './syntax/times.js'
import { type Token, textOf } from './syntax/tokens.js'
import type { VerbGroup } from './syntax/verb-group.js'

/** Words after a verb, with their preposition. */
export interface Argument {
  /** Undefined for a direct object; `to` for an infinitive; `not` for what is denied. */
  preposition: string | undefined
  tokens: Token[]
  isInfinitive: boolean
  /** `without asking`, `by running`. */
  isGerund: boolean
}

/** A clause with its parts, as the rules read it. */
export interface SpokenClause {
  reading: LineReading
  clause: Clause
  verb: VerbGroup
  /** All tokens of the sentence. */
  sentence: readonly Token[]
  subjects: readonly Subject[]
  subject: Subject | undefined
  /** True if its subject is a pronoun that refers to nothing known. */
  isUnclear: boolean
  /** `Only the platform team …`. */
  isOnly: boolean
  args: readonly Argument[]
  direct: Argument | undefined
  times: Times
  /** The clause of the same sentence before it. */
  previous: SpokenClause | undefined
}

/** Reads the parts of a clause with a verb. */
export function spokenClause(
  reading: LineReading,
  sentence: readonly Token[],
  clause: Clause,
  previous: SpokenClause | undefined,
): SpokenClause {
  const verb = clause.verb as VerbGroup
  const { text, context } = reading
  const own = sentence.slice(clause.begin, clause.verb?.start)
  const opened = withoutTimes(own, text, context.saidAt)
  const gap = gapsOf(clause, sentence)[0]
  const after = withoutTimes(
    withoutEnd(sentence.slice(verb.end, gap?.from ?? ownEnd(clause, sentence))),
    text,
    context.saidAt,
  )
  const before = clause.before
    ? withoutTimes(sentence.slice(...clause.before), text, context.saidAt).times
    : {}
  const times: Times = { ...before, ...opened.times, ...after.times }
  const often = verb.adverbs.find(adverb =>
    /^(?:nightly|weekly|daily|hourly|monthly|quarterly)$/u.test(adverb),
  )
  if (often) times.schedule ??= often
  const subjects =
    own.length > 0
      ? subjectsIn(reading, opened.rest)
      : clause.begin === 0 && (isReport(verb) || (context.isAlone && isPlain(verb)))
        ? reportedSubject(reading, sentence)
        : inheritedSubjects(clause, verb, previous)
  const args = argumentsIn(after.rest)
  return {
    reading,
    clause,
    verb,
    sentence,
    subjects,
    subject: subjects[0],
    isUnclear: opened.rest.length > 0 && subjects.length === 0,
    isOnly:
      own[0]?.lower === 'only' ||
      sentence[verb.end]?.lower === 'only' ||
      verb.adverbs.some(adverb => adverb === 'only' || adverb === 'exclusively'),
    args,
    direct: args.find(({ preposition, tokens }) => preposition === undefined && tokens.length > 0),
    times,
    previous,
  }
}

/** `data lives on /mnt, backup every Sunday`: the schedule of something else ends the clause. */
function ownEnd({ parts, to }: Clause, sentence: readonly Token[]): number {
  const other = parts.find(
    ({ begin, lead }) =>
      lead[0]?.text === ',' &&
      ['noun', 'name', 'verb'].includes(sentence[begin]?.cls ?? '') &&
      [1, 2].some(offset =>
        /^(?:every|each|daily|weekly|nightly|hourly|monthly)$/u.test(sentence[begin + offset]?.lower ?? ''),
      ),
  )
  return other?.from ?? to
}

function withoutEnd(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ kind, text }) => kind !== 'mark' || !/^[.!]$/u.test(text))
}

function subjectsIn(reading: LineReading, given: readonly Token[]): Subject[] {
  let tokens = given
  while (tokens[0]?.text === ',') tokens = tokens.slice(1)
  // `To run the tests you need Docker`: an aim, not a name.
  if (tokens[0]?.cls === 'to') return []
  // `On Pixel 6 the intro video …`: a place before the subject.
  if (tokens[0]?.cls === 'preposition' && tokens[0].lower !== 'of') {
    const comma = tokens.findIndex(
      ({ text, cls }, at) => at > 0 && (text === ',' || (cls === 'pronoun' && at > 1)),
    )
    const next =
      comma > 0
        ? comma
        : tokens.findIndex(({ cls, lower }, at) => at > 1 && cls === 'determiner' && lower !== 'a')
    if (next > 0) tokens = tokens.slice(tokens[next]?.text === ',' ? next + 1 : next)
  }
  return phrasesOf(tokens, reading.text).flatMap(phrase => reading.subjectOf(phrase) ?? [])
}

function reportedSubject(reading: LineReading, sentence: readonly Token[]): readonly Subject[] {
  const phrase = phraseOf(sentence, reading.text)
  const thing = reading.project ?? { name: '', type: 'project' }
  return phrase ? [{ thing, phrase: { ...phrase, name: 'we' }, isProject: true, isUser: false }] : []
}

/** A clause without a subject shares the one before, unless it is an order. */
function inheritedSubjects(
  clause: Clause,
  verb: VerbGroup,
  previous: SpokenClause | undefined,
): readonly Subject[] {
  if (!previous || verb.isImperative) return []
  if (clause.lead.some(({ cls }) => cls === 'relative')) {
    const last = subjectsOf(previous.reading, previous.args.at(-1)).at(-1)
    return last ? [last] : previous.subjects
  }
  return clause.lead.some(({ cls, text }) => cls === 'conjunction' || text === ',') ? previous.subjects : []
}

/** Splits what follows a verb at its prepositions. */
export function argumentsIn(tokens: readonly Token[]): Argument[] {
  const args: Argument[] = []
  let current: Argument = { preposition: undefined, tokens: [], isInfinitive: false, isGerund: false }
  const close = (next?: string): void => {
    if (current.tokens.length > 0 || current.preposition) args.push(current)
    current = { preposition: next, tokens: [], isInfinitive: false, isGerund: false }
  }
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const next = tokens[at + 1]
    if (token.cls === 'to' && ((isForm(next, 'base') && next?.cls !== 'name') || next?.lower === 'be')) {
      close('to')
      current.isInfinitive = true
      current.tokens = tokens.slice(at + 1)
      break
    }
    const isPreposition =
      (token.cls === 'preposition' && token.lower !== 'of') ||
      token.cls === 'to' ||
      (token.lower === 'as' && token.cls === 'subordinator')
    if (isPreposition && token.lower !== 'per') close(token.lower)
    else if (token.cls === 'negation') {
      close('not')
      if (next?.cls === 'preposition') at++
    } else if (token.cls === 'relative' && current.tokens.length > 0) break
    else if (token.text === ',' && isForm(next, 'ing') && next?.cls !== 'name') break
    else if (
      isForm(token, 'ing') &&
      token.cls !== 'name' &&
      next?.cls === 'preposition' &&
      ['noun', 'name', 'number'].includes(tokens[at - 1]?.cls ?? '')
    )
      break
    else {
      // `renewed by certbot 30 days before expiry`
      if (current.preposition && isMeasure(tokens, at)) close('amount')
      if (
        current.preposition &&
        current.tokens.length === 0 &&
        isForm(token, 'ing') &&
        next &&
        !['preposition', 'mark', 'conjunction'].includes(next.cls)
      )
        current.isGerund = true
      current.tokens.push(token)
    }
  }
  close()
  return args
}

/** True for a number with a time after a name. */
function isMeasure(tokens: readonly Token[], at: number): boolean {
  return (
    tokens[at]?.cls === 'number' &&
    ['noun', 'name'].includes(tokens[at - 1]?.cls ?? '') &&
    /^(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|times)$/u.test(tokens[at + 1]?.lower ?? '')
  )
}

/** The phrases of an argument, without pronouns that refer to nothing. */
export function subjectsOf(reading: LineReading, argument: Argument | undefined): Subject[] {
  if (!argument || argument.isInfinitive || argument.isGerund) return []
  return phrasesOf(argument.tokens, reading.text).flatMap(phrase => reading.subjectOf(phrase, true) ?? [])
}

export function phrasesIn(reading: LineReading, argument: Argument | undefined): Phrase[] {
  if (!argument || argument.isInfinitive || argument.isGerund) return []
  return phrasesOf(argument.tokens, reading.text).filter(({ isPronoun }) => !isPronoun)
}

/** The first argument with one of the prepositions and a phrase. */
export function argumentWith(
  { args }: SpokenClause,
  ...prepositions: readonly string[]
): Argument | undefined {
  return args.find(
    ({ preposition, tokens, isInfinitive }) =>
      !isInfinitive && tokens.length > 0 && prepositions.includes(preposition ?? ''),
  )
}

/** Words after the verb up to the end of the clause. */
export function afterVerb({ reading, sentence, verb, clause }: SpokenClause): string {
  return textOf(sentence.slice(verb.end, endOf(sentence, clause.to)), reading.text)
}

/** The end without closing marks. */
export function endOf(tokens: readonly Token[], to: number): number {
  let end = to
  while (end > 0 && /^[.,;:!]$/u.test(tokens[end - 1]?.text ?? '')) end--
  return end
}

/** Pieces that leave their verb out: `X at A and Y at B`. */
export function gapsOf(clause: Clause, sentence: readonly Token[]): Clause[] {
  const { verb } = clause
  if (!verb) return []
  const isPreposition = ({ cls }: Token): boolean => cls === 'preposition' || cls === 'to'
  const main = sentence.slice(verb.end, clause.to).find(isPreposition)
  if (!main) return []
  return clause.parts.filter(({ begin, to }) => {
    const inside = sentence.slice(begin, to)
    const at = inside.findIndex(isPreposition)
    return (
      at > 0 &&
      inside[at]?.lower === main.lower &&
      inside.slice(0, at).some(token => ['noun', 'name'].includes(token.cls) || formsOf(token).length > 0)
    )
  })
}

/** The words of such pieces, without marks. */
export function gapWords(clause: Clause, sentence: readonly Token[]): (readonly Token[])[] {
  return gapsOf(clause, sentence).map(({ begin, to }) =>
    sentence.slice(begin, to).filter(({ text }) => !/^[.,;]$/u.test(text)),
  )
}

/** Clauses that state nothing by themselves: reasons, conditions, comparisons, relative clauses. */
export function isSkipped(
  clause: Clause,
  clauses: readonly Clause[],
  at: number,
  previous: SpokenClause | undefined,
  isAlone = false,
): boolean {
  const { hangsOn, verb, lead, before, begin } = clause
  if (hangsOn && !(hangsOn === 'so' && verb?.modal === 'must')) return true
  // Without a subject after a hanging clause it is unclear whose verb it is.
  const isOpen = verb?.start === begin && !verb.isImperative
  if (isOpen && previous && clauses[at - 1]?.hangsOn && !lead.some(({ text }) => text === ';')) return true
  if (isOpen && !previous && !(at === 0 && (isReport(verb) || (isAlone && isPlain(verb))))) return true
  if (lead.some(({ cls }) => cls === 'relative')) return !isAboutName(clause, previous)
  return before !== undefined && isTruncated(clause)
}

/** `depends on Musixmatch, which allows …`: said of the name before the comma. */
function isAboutName({ lead, verb, before }: Clause, previous: SpokenClause | undefined): boolean {
  const last = previous?.args.at(-1)
  return (
    lead.at(-1)?.lower === 'which' &&
    verb?.tense === 'present' &&
    !verb.modal &&
    before === undefined &&
    last !== undefined &&
    phrasesIn((previous as SpokenClause).reading, last).at(-1)?.isProper === true
  )
}

/** `Switched the warehouse to BigQuery`: notes of changes leave `we` out. */
function isReport({ start, lemma, tense, isPassive, particle, word }: VerbGroup): boolean {
  if (start === 0 && tense === 'progressive') return true
  if (/^(?:went|settled|stuck|opted|stayed)$/u.test(word) && tense === 'past') return true
  const isSwitched = particle === 'off' && /^(?:turn|switch|shut)$/u.test(lemma)
  return tense === 'past' && !isPassive && (isSwitched || (!particle && reported.test(lemma)))
}

/** `Runs on port 5000`, `Written in Go`: said of the project. */
function isPlain({ lemma, tense, isImperative, modal, word }: VerbGroup): boolean {
  if (isImperative || modal) return false
  return tense === 'participle' || /(?:ed|en|lt|pt)$/u.test(word)
    ? /^(?:write|build|deploy|host|store|base|license)$/u.test(lemma)
    : /^(?:run|listen|need|require|use|depend|live|talk|rely)$/u.test(lemma) && tense === 'present'
}

const reported =
  /^(?:switch|move|migrate|port|convert|replace|swap|upgrade|update|bump|drop|remove|retire|deprecate|archive|choose|pick|adopt|cut|decide|agree|kill|scrap|ditch|disable|split|merge)$/u

/** `X (…), which …, is`: a comma before a subject that may be cut off. */
function isTruncated({ verb, begin, lead }: Clause): boolean {
  return verb?.start === begin && lead.some(({ text }) => text === ',')
}
