import { readAmount, readBeing, readKeyValue, readSchedule } from './attributes.js'
import { chosen, isEnding, readChange } from './changes.js'
import { type Clause, clausesOf } from './clauses.js'
import { readCommit } from './commits.js'
import { readContact, readPeople } from './people.js'
import { phraseOf } from './phrases.js'
import { readProcedure } from './procedures.js'
import { LineReading, periodIn, type ReadingContext } from './reading.js'
import { readRelations, readUsed } from './relations.js'
import { argumentWith, type SpokenClause, spokenClause } from './spoken-clause.js'
import { noteProblem, readPreference, readRule, tellStatement } from './statements.js'
import { isForm, lemmaOf, tag } from './tag.js'
import { sentencesIn, type Token, textOf, tokensOf, withAsides } from './tokens.js'

const labels =
  /^((?:adr|rfc)[- ]?\d+|decision|decided|rule|policy|convention|known (?:problem|issue|bug)|issue|bug|flaky|problem|caveat|gotcha|lessons? learn(?:ed|t)|learned|learnt|learning|til|preference|fact|note|fyi|nb|reminder|heads[- ]up|warning|important|careful|attention|update|workaround)(?: \([^)]*\))?\s*(?::|—|–| -)\s+/iu
const learnt =
  /^(?:(?:we|i)(?:['’]ve| have)? )?(?:just |recently |finally |also )?(?:learn(?:ed|t)|found(?: out)?|discovered|noticed|realised|realized|figured out|(?:it )?turns out|it turned out|turned out|til|it took (?:us|me) [^.;]*? to (?:learn|find out|realise|realize|notice|discover|figure out|understand))(?: (?:the hard way|today|again|yesterday|last week|recently))?,?(?: that)? (?=\S)/iu

/** Reads one line of a note: its facts, and the signs of its type. */
export function readLine(text: string, context: ReadingContext, { isLine = true } = {}): LineReading {
  const reading = new LineReading(text, context)
  reading.quote = text.replace(/[.!\s]+$/u, '')
  if (readCommit(reading)) return reading
  const label = labels.exec(text)
  reading.label = label?.[1]?.toLowerCase() ?? ''
  let from = label?.[0].length ?? 0
  const isTaught = /learn|^til/u.test(reading.label)
  const lead = learnt.exec(text.slice(from))
  const isLesson =
    isTaught || (lead !== null && !/^(?:how|to|a|an|the way)\b/iu.test(text.slice(from + lead[0].length)))
  if (lead && isLesson) from += lead[0].length
  const sentences = sentencesIn(withAsides(tokensOf(text).filter(({ start }) => start >= from)))
  for (const sentence of sentences) tag(sentence)
  if (isLesson) {
    reading.cues.add('lesson')
    const body = firstStatement(sentences.flat())
    tellStatement(reading, 'lessons', body, { by: 'lesson' })
    return reading
  }
  if (readProcedure(reading, sentences, from)) return reading
  for (const sentence of sentences) readSentence(reading, sentence, isLine && sentences.length === 1)
  readLabelled(reading, sentences.flat())
  return reading
}

function firstStatement(tokens: readonly Token[]): readonly Token[] {
  const end = tokens.findIndex(({ text }) => text === ';')
  return end > 0 ? tokens.slice(0, end) : tokens
}

/** What a label announces, in the words of the note. */
function readLabelled(reading: LineReading, tokens: readonly Token[]): void {
  const { label } = reading
  if (/^(?:decision|decided|adr|rfc)/u.test(label)) {
    reading.cues.add('decision')
    if (!reading.facts.some(({ aspect }) => aspect === 'decisions'))
      tellStatement(reading, 'decisions', sentencesIn(tokens)[0] ?? [], { by: 'decision' })
  }
  if (/^(?:rule|policy|convention)$/u.test(label)) reading.cues.add('rule')
  if (label === 'preference') reading.cues.add('preference')
  if (/^(?:known|issue|bug|flaky|problem|caveat|gotcha)/u.test(label)) reading.cues.add('problem')
  if (
    reading.cues.has('problem') &&
    ![...reading.cues].some(cue => ['decision', 'rule', 'preference', 'lesson', 'procedure'].includes(cue))
  )
    readProblem(reading, tokens)
}

function readProblem(reading: LineReading, tokens: readonly Token[]): void {
  const [first = []] = sentencesIn(tokens)
  tellStatement(reading, 'problems', firstStatement(first), { by: 'problem' })
  // What a note about a problem tells to do is its workaround.
  const title = reading.facts.find(({ aspect }) => aspect === 'problems')?.attribute
  for (const fact of reading.facts)
    if (fact.aspect === 'rules' && title) Object.assign(fact, { aspect: 'workarounds', attribute: title })
  const around =
    /(?:;|,|\.)\s*(?:a |the )?(?:workaround|work-around|fix|solution)(?: is)?:?\s+(.+?)\.?$/iu.exec(
      reading.text,
    )
  if (around?.[1] && reading.project) {
    if (title)
      reading.statement(reading.project, { aspect: 'workarounds', attribute: title }, around[1], {
        by: 'problem',
      })
  }
}

const hedges =
  /\b(?:maybe|perhaps|probably|possibly|apparently|supposedly|allegedly|not sure|unsure|unclear|undecided|(?:not|never|n['’]t) decided|i (?:think|guess|believe)|(?:said|says|heard|claims?) (?:that )?|(?<!\b(?:is|are|was|were|be|been) )used to|any ?more|for example|e\.g\.|as if)\b/iu
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

function readSentence(reading: LineReading, sentence: readonly Token[], isLine: boolean): void {
  const [first] = sentence
  const last = sentence.at(-1)
  if (!first || !last) return
  reading.quote = reading.text.slice(first.start, last.end).replace(/[.!\s]+$/u, '')
  if (last.text === '?' || /^(?:…|\.\.\.)$/u.test(last.text)) return
  if (hedges.test(reading.quote)) {
    reading.cues.add('hedge')
    return
  }
  readAsides(reading, sentence)
  const clauses = clausesOf(sentence)
  if (isForm(first, 'ing') && isEnding(lemmaOf(first, 'ing')) && !clauses[0]?.verb)
    reading.cues.add('decision')
  if (readHeading(reading, sentence, clauses, isLine)) return
  let previous: SpokenClause | undefined
  let isConditional =
    opensCondition.has(first.lower) && clauses[0]?.verb !== undefined && clauses[0].begin > 0
  clauses.forEach((clause, at) => {
    if (isConditional && at > 0 && clause.lead.some(({ text }) => text === ',')) isConditional = false
    if (!clause.verb || isConditional || isSkipped(clause, clauses, at, previous)) {
      if (!clause.verb && at === 0) readNoun(reading, sentence, clause)
      return
    }
    const spoken = spokenClause(reading, sentence, clause, previous)
    readClause(spoken)
    previous = spoken
  })
}

/** Clauses that state nothing by themselves: reasons, conditions, comparisons, relative clauses. */
function isSkipped(
  clause: Clause,
  clauses: readonly Clause[],
  at: number,
  previous: SpokenClause | undefined,
): boolean {
  const { hangsOn, verb, lead, before, begin } = clause
  if (hangsOn && !(hangsOn === 'so' && verb?.modal === 'must')) return true
  // Without a subject after a hanging clause it is unclear whose verb it is.
  const isOpen = verb?.start === begin && !verb.isImperative
  if (isOpen && previous && clauses[at - 1]?.hangsOn && !lead.some(({ text }) => text === ';')) return true
  if (isOpen && !previous) return true
  if (lead.some(({ cls }) => cls === 'relative')) return true
  return before !== undefined && isTruncated(clause)
}

/** `X (…), which …, is`: a comma before a subject that may be cut off. */
function isTruncated({ verb, begin, lead }: Clause): boolean {
  return verb?.start === begin && lead.some(({ text }) => text === ',')
}

/** `No pandas in production code`: a noun with `no` is a rule. */
function readNoun(reading: LineReading, sentence: readonly Token[], clause: Clause): void {
  if (sentence[0]?.lower !== 'no' || clause.lead.length > 0) return
  const words = textOf(sentence, reading.text)
  if (/\b(?:needed|required|necessary|problems?|issues?|idea|longer|changes?d?|news)\b/iu.test(words)) return
  reading.cues.add(/^(?:decision|adr|rfc)/u.test(reading.label) ? 'decision' : 'rule')
  if (/^(?:decision|adr|rfc)/u.test(reading.label)) return
  const body = sentence.slice(1)
  const extra = { by: 'rule' }
  const title = textOf(body, reading.text).split(/[,;.]/u)[0] ?? ''
  if (reading.project)
    reading.statement(
      reading.project,
      { aspect: 'rules', attribute: `no ${title}`.split(' ').slice(0, 9).join(' ') },
      reading.quote,
      extra,
    )
}

/** `region: eu-central-1`, `Frame budget: 16 ms`. */
function readHeading(
  reading: LineReading,
  sentence: readonly Token[],
  clauses: readonly Clause[],
  isLine: boolean,
): boolean {
  const [head, body] = clauses
  if (!head || !body || head.verb || !body.lead.some(({ text }) => text === ':')) return false
  const key = phraseOf(sentence.slice(head.begin, head.to), reading.text)
  if (!key || key.tokens.length > 6 || reading.label) return false
  return readKeyValue(reading, key, sentence.slice(body.begin), isLine)
}

/** Handles, addresses and other names in brackets after a person or a thing. */
function readAsides(reading: LineReading, sentence: readonly Token[]): void {
  sentence.forEach((token, at) => {
    const [first] = token.aside ?? []
    if (!first) return
    let from = at
    while (
      from > 0 &&
      sentence[from - 1]?.kind === 'word' &&
      /^\p{Lu}/u.test(sentence[from - 1]?.text ?? '') &&
      from > at - 3
    )
      from--
    const name = phraseOf(sentence.slice(from, at + 1), reading.text)
    if (!name?.isProper) return
    const isPerson = first.kind === 'handle' || first.kind === 'email'
    const aka = /^(?:aka|a\.k\.a|also called|also known as|alias)$/iu
    if (isPerson) {
      const person = { name: name.name, type: 'person' }
      reading.person = person
      if (first.kind === 'handle') reading.alias(person, first.text, { by: 'alias' })
      else reading.value(person, { aspect: 'contact', attribute: 'email' }, first.text, { by: 'alias' })
    } else if (aka.test(first.lower)) {
      const thing = reading.thingOf(name)
      const alias = token.aside?.at(-1)
      if (thing && alias && alias !== first) reading.alias(thing, alias.text, { by: 'alias' })
    }
  })
}

/** Subjects that state something without naming anything. */
const mayBeUnclear = new Set(['it', 'nobody', 'no', 'none'])
const deciding = new Set(['decide', 'agree', 'resolve', 'vote'])

function readClause(spoken: SpokenClause): void {
  const { reading, verb, clause, sentence } = spoken
  for (const subject of spoken.subjects) reading.note(subject)
  const isHedged =
    ['might', 'could', 'would'].includes(verb.modal ?? '') ||
    (verb.modal === 'may' && !spoken.isOnly && !verb.negation) ||
    verb.modal === 'used to'
  if (isHedged || (verb.modal && verb.tense === 'past')) {
    reading.cues.add('hedge')
    return
  }
  if (spoken.isUnclear && !mayBeUnclear.has(sentence[clause.begin]?.lower ?? '')) return
  if (readAlias(spoken) || readDecision(spoken) || readLearnt(spoken)) return
  noteProblem(spoken)
  if (/^(?:decision|adr|rfc)/u.test(reading.label) && verb.isImperative) return
  if (readContact(spoken) || readPreference(spoken) || readRule(spoken)) return
  if (verb.modal === 'will' && spoken.subject?.isProject && !verb.negation) reading.cues.add('decision')
  const next = sentence[clause.to]
  if (next && /^(?:if|unless|even if)$/u.test(next.lower)) return
  readSchedule(spoken)
  readAmount(spoken)
  if (readPeople(spoken) || readChange(spoken) || readUsed(spoken) || readBeing(spoken)) return
  readRelations(spoken)
}

/** `X, also known as Y`, `k8s is short for Kubernetes`. */
function readAlias(spoken: SpokenClause): boolean {
  const { reading } = spoken
  const told = reading.quote
  const known =
    /^(?:the )?([\p{L}\p{N}][\p{L}\p{N}.+#_-]*(?: [\p{L}\p{N}.+#_-]+)?)(?:,| \()\s*(?:also known as|also called|aka|a\.k\.a\.) ([\p{L}\p{N}][\p{L}\p{N}.+#_-]*)[,)]?/iu.exec(
      told,
    )
  const short = known
    ? null
    : /^([\p{L}\p{N}][\p{L}\p{N}.+#_-]*) (?:is short for|stands for|is an alias (?:of|for)|means the same as) ([\p{L}\p{N}][\p{L}\p{N}.+#_ -]*)$/u.exec(
        told,
      )
  const [of, other] = known ? [known[1], known[2]] : [short?.[2], short?.[1]]
  if (!of || !other) return false
  const thing = reading.context.find(of) ?? { name: of, type: 'concept' }
  reading.alias(thing, other, { by: 'alias' })
  return short !== null
}

/** `We decided to use X`, `it was agreed that …`, `we agreed on X`. */
function readDecision(spoken: SpokenClause): boolean {
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

/** What was decided to do: `use X for Y`, `move to X`. */
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

/** `X learnt that …` in the middle of a sentence. */
function readLearnt({ reading, verb, sentence, clause, subject }: SpokenClause): boolean {
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
