import { phrasalVerbs } from '../words/classes.js'
import { formsOf, isForm, lemmaOf } from './tag.js'
import type { Token } from './tokens.js'
import { type VerbGroup, verbGroupIn } from './verb-group.js'

/** A part of a sentence with one finite verb, or a fragment without any. */
export interface Clause {
  /** Index where it begins, with the conjunction. */
  from: number
  /** Index of its first own word. */
  begin: number
  to: number
  /** Conjunctions and marks that introduce it. */
  lead: readonly Token[]
  verb: VerbGroup | undefined
  /** The word that it hangs on: `because`, `if`, `until`. */
  hangsOn?: string | undefined
  /** A part before the subject: `As of 1 March, …`. */
  before?: readonly [from: number, to: number]
  /** Pieces without a verb that continue it: `X at A and Y at B`. */
  parts: Clause[]
}

const looseConjunctions = new Set(['since', 'until', 'till', 'before', 'after', 'as', 'so'])
const openings = new Set(['then', 'so', 'also', 'therefore', 'hence', 'first', 'finally', 'please', 'just'])
const strongMarks = /^(?:;|:|—|–|-|→|->|=>)$/u

/** Splits a sentence into clauses. */
export function clausesOf(tokens: readonly Token[]): Clause[] {
  const pieces = piecesOf(tokens)
  pieces.forEach((piece, at) => {
    piece.verb = verbOf(tokens, pieces, at)
  })
  if (pieces.every(({ verb }) => !verb) && isFullSentence(tokens))
    for (const piece of pieces) {
      piece.verb = verbGroupIn(tokens, piece.begin, piece.to, 0.3)
      if (piece.verb?.isImperative) piece.verb = undefined
      if (piece.verb) break
    }
  return merged(tokens, pieces)
}

/** A sentence with an article, or a bare name, and a full stop has a verb, if only a doubtful one. */
function isFullSentence(tokens: readonly Token[]): boolean {
  const isNamed = /^\p{Ll}/u.test(tokens[0]?.text ?? '') && isForm(tokens[1], 's')
  return (
    (isNamed || /^(?:the|our|a|an|all|every|each|this|these|my)$/u.test(tokens[0]?.lower ?? '')) &&
    tokens.at(-1)?.text === '.' &&
    !tokens.some(({ text }) => text === ':')
  )
}

function piecesOf(tokens: readonly Token[]): Clause[] {
  const cuts = [0]
  for (let at = 1; at < tokens.length; at++) if (isCut(tokens, at)) cuts.push(at)
  cuts.push(tokens.length)
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1] as number
    const lead: Token[] = []
    let begin = from
    while (begin < to && isLead(tokens[begin] as Token, from > 0 && begin === from))
      lead.push(tokens[begin++] as Token)
    return { from, begin, to, lead, verb: undefined, parts: [] }
  })
}

function isCut(tokens: readonly Token[], at: number): boolean {
  const { cls, lower, text } = tokens[at] as Token
  const before = tokens[at - 1] as Token
  if (cls === 'subordinator') return before.cls !== 'conjunction'
  if (cls === 'conjunction' || lower === 'so' || lower === 'which') return true
  if (cls === 'relative') return before.text === ','
  if (cls === 'mark') return /^(?:[;:,]|—|–|-|→|->|=>)$/u.test(text)
  if (formsOf(before).some(({ lemma }) => phrasalVerbs.has(`${lemma} ${lower}`))) return false
  // `stored as JSON files`
  if (lower === 'as' && isForm(before, 'ed', 'participle')) return false
  // `a save from before 0.9 crashes`
  if (before.cls === 'preposition' && tokens[at + 1]?.cls === 'number') return false
  return looseConjunctions.has(lower) && ['preposition', 'adverb', 'determiner'].includes(cls)
}

function isLead({ cls, lower }: Token, isAtCut: boolean): boolean {
  if (['mark', 'conjunction', 'subordinator', 'relative'].includes(cls)) return true
  return (
    (isAtCut && looseConjunctions.has(lower)) || (openings.has(lower) && cls !== 'noun' && cls !== 'name')
  )
}

const isJoined = ({ lead }: Clause): boolean =>
  lead.some(({ cls, text }) => cls === 'conjunction' || text === ',')
const isHanging = ({ lead }: Clause): boolean =>
  lead.some(({ cls }) => cls === 'subordinator' || cls === 'relative')

/** Finds the verb of a piece. After `and` or a comma it needs more evidence, less if it is parallel. */
function verbOf(tokens: readonly Token[], pieces: readonly Clause[], at: number): VerbGroup | undefined {
  const piece = pieces[at] as Clause
  if (piece.begin >= piece.to) return undefined
  const earlier = pieces.slice(0, at).flatMap(({ verb }) => verb ?? [])
  const was = earlier.at(-1)
  // `When you write tests, prefer …`: the main clause follows.
  const isMain = pieces.slice(0, at).every(one => !one.verb || isHanging(one))
  const isStrict = was !== undefined && isJoined(piece) && !isHanging(piece) && !isMain
  const least = isStrict ? leastOf(tokens, piece, was) : 3
  const likely = verbGroupIn(tokens, piece.begin, piece.to, least)
  // `… and hates squash merges`: the first of two forms continues the clause before.
  const isFirst = least < 0 && likely && likely.at > piece.begin && tokens[likely.at]?.form === 's'
  const verb = isFirst ? (verbGroupIn(tokens, piece.begin, piece.begin + 1, least) ?? likely) : likely
  if (
    verb?.isImperative &&
    (piece.lead.some(({ lower }) => /^(?:before|after|until|since|as|till)$/u.test(lower)) ||
      isHeading(tokens, piece, verb))
  )
    return undefined
  if (verb && was && isContinued(tokens, piece, verb, was))
    return { ...verb, isPassive: true, tense: was.tense }
  return verb ?? sharedVerb(tokens, pieces, at, was) ?? participleOf(tokens, piece) ?? gerundOf(tokens, piece)
}

/** `is built and copied to X`, `is a Rails app, deployed to X`: a participle shares the form of `be`. */
function isContinued(tokens: readonly Token[], piece: Clause, verb: VerbGroup, was: VerbGroup): boolean {
  if (verb.at !== piece.begin || !isJoined(piece) || !isForm(tokens[verb.at], 'ed')) return false
  if (was.isPassive) return true
  return (
    was.lemma === 'be' &&
    was.tense === 'present' &&
    ['preposition', 'to'].includes(tokens[verb.end]?.cls ?? '') &&
    !/^(?:move|switch|migrate|change|agree|decide|end|start|arrive|happen)$/u.test(verb.lemma)
  )
}

function leastOf(tokens: readonly Token[], { begin, to }: Clause, was: VerbGroup): number {
  let first = begin
  while (first < to && ['adverb', 'negation'].includes(tokens[first]?.cls ?? '')) first++
  const next = tokens[first + 1]
  // `metrics go to X and logs to Y`: a form for one thing does not continue a form for several.
  const isSameForm =
    (was.tense === 'present' &&
      !was.isImperative &&
      tokens[was.at]?.form !== 'base' &&
      isForm(tokens[first], 's') &&
      first + 1 < to) ||
    (was.isImperative && isForm(tokens[first], 'base'))
  if (
    isSameForm &&
    next &&
    [
      'determiner',
      'preposition',
      'to',
      'number',
      'adverb',
      'adjective',
      'name',
      'pronoun',
      'noun',
      'verb',
    ].includes(next.cls)
  )
    return -1.5
  const inside = tokens.slice(begin, to)
  if (inside.some((token, index) => index > 0 && lemmaOf(token, 's', 'base') === was.lemma)) return 2
  if (isForm(tokens[first], 'base') && next && ['determiner', 'pronoun', 'number'].includes(next.cls))
    return 4
  if (isForm(tokens[first], 'base') && (next?.kind === 'email' || next?.kind === 'handle')) return 1
  // `The parser is written by hand, the backend emits LLVM IR`
  const verbs = inside.filter(token => isForm(token, 's') && token.cls === 'verb')
  const isOwnSubject = /^(?:the|our)$/u.test(tokens[begin]?.lower ?? '') && tokens[begin - 1]?.text === ','
  return isOwnSubject && verbs.length === 1 ? 3 : 6
}

/** `Release steps: …`: a base form before a colon is a heading. */
function isHeading(tokens: readonly Token[], { begin, to }: Clause, verb: VerbGroup): boolean {
  return (
    tokens[to]?.text === ':' &&
    verb.at === begin &&
    !tokens
      .slice(begin, to)
      .some(({ cls }) => ['determiner', 'pronoun', 'preposition', 'negation'].includes(cls))
  )
}

/** `X and Y are …`: the verb of a subject that was cut at `and`. */
function sharedVerb(
  tokens: readonly Token[],
  pieces: readonly Clause[],
  at: number,
  was: VerbGroup | undefined,
): VerbGroup | undefined {
  const piece = pieces[at] as Clause
  if (was || !piece.lead.some(({ lower }) => lower === 'and')) return undefined
  const joined = pieces.slice(0, at).findLastIndex(({ lead }) => !lead.some(({ text }) => text === ','))
  const before = pieces[Math.max(joined, 0)]
  if (!before) return undefined
  const verb = verbGroupIn(tokens, before.begin, piece.to, 3)
  return verb && verb.at >= piece.begin && !verb.isImperative ? verb : undefined
}

const openParticiple = /^(?:written|rewritten|built|deployed|hosted|stored|based)$/u

/** A participle by itself: `…, hosted in X`, `and written in Y`. */
function participleOf(tokens: readonly Token[], piece: Clause): VerbGroup | undefined {
  // `Written in Go`
  const isOpen = piece.from === 0 && openParticiple.test(tokens[0]?.lower ?? '')
  if (!isOpen && (piece.from === 0 || !isJoined(piece))) return undefined
  let at = piece.begin
  while (at < piece.to && tokens[at]?.cls === 'adverb') at++
  const lemma = lemmaOf(tokens[at], 'ed', 'participle')
  const next = tokens[at + 1]
  const isAlone =
    at + 1 >= piece.to || ['preposition', 'to', 'adverb', 'subordinator', 'mark'].includes(next?.cls ?? '')
  if (lemma === undefined || !isAlone) return undefined
  const word = (tokens[at] as Token).lower
  return {
    start: at,
    at,
    end: at + 1,
    lemma,
    word,
    isPassive: true,
    tense: 'participle',
    isImperative: false,
    adverbs: [],
  }
}

/** `Going with X`, `Using X for Y`: notes leave `we are` out. */
function gerundOf(tokens: readonly Token[], { from, to }: Clause): VerbGroup | undefined {
  const lemma = from === 0 ? lemmaOf(tokens[0], 'ing') : undefined
  const [first, next] = tokens
  const isReport =
    lemma === 'go' || lemma === 'stick' || lemma === 'stay'
      ? next?.lower === 'with' || (lemma !== 'go' && next?.lower === 'on')
      : /^(?:use|keep|switch|move|migrate|adopt|choose|pick|replace)$/u.test(lemma ?? '') && to > 1
  if (!lemma || !first || !isReport) return undefined
  return {
    start: 0,
    at: 0,
    end: 1,
    lemma,
    word: first.lower,
    isPassive: false,
    tense: 'progressive',
    isImperative: false,
    adverbs: [],
  }
}

/** Joins pieces without a verb to their neighbours. */
function merged(tokens: readonly Token[], pieces: readonly Clause[]): Clause[] {
  const clauses: Clause[] = []
  for (const piece of pieces) {
    const last = clauses.at(-1)
    const isStrong = piece.lead.some(({ text }) => strongMarks.test(text))
    const hangsOn = piece.lead.find(
      ({ cls, lower }) => cls === 'subordinator' || looseConjunctions.has(lower) || lower === 'than',
    )?.lower
    if (!piece.verb) {
      if (!isStrong && last && last.to === piece.from) {
        last.to = piece.to
        last.parts.push(piece)
      } else clauses.push(piece)
      continue
    }
    if (last && !last.verb && !isStrong && !hangsOn) {
      const verb = piece.lead.some(({ cls }) => cls === 'conjunction')
        ? verbGroupIn(tokens, last.begin, piece.to)
        : undefined
      if (verb) {
        clauses.pop()
        clauses.push({ ...piece, from: last.from, begin: last.begin, lead: last.lead, verb })
        continue
      }
      if (piece.verb.start === piece.begin || piece.lead.some(({ text }) => text === ',')) {
        clauses.pop()
        clauses.push({ ...piece, before: [last.from, last.to] })
        continue
      }
    }
    clauses.push({ ...piece, hangsOn })
  }
  return clauses
}
