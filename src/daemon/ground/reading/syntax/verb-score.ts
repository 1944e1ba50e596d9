import { particles, phrasalVerbs } from '../words/classes.js'
import { isFirstName, isTool } from '../words/names.js'
import type { Verb } from '../words/verbs.js'
import { formsOf, isForm } from './tag.js'
import type { Token } from './tokens.js'

const impossible = -99
const fixed: Readonly<Record<string, number>> = { modal: 12, be: 11, have: 10.5, do: 10.5 }
const notFinite = new Set(['be', 'been', 'being', 'having', 'done', 'doing'])
/** A base form at the beginning that is an order, not a noun. */
const orders =
  /^(?:use|run|keep|add|make|put|write|avoid|prefer|update|create|delete|remove|read|ask|follow|install|treat|store|send|check|verify|ensure|do|set|call|click|press|wait|log|see|start|stop|open|go|commit|push|merge|let|give|take|get|pick|choose|copy|allow|assume|escape|ping|restart|rotate|pin|bump)$/u
/** Nouns that look plural. */
const singularEnding =
  /(?:ss|us|is|kubernetes|redis|aws|dns|css|js|jenkins|postgres|sales|https|sops|keras|pandas)$/u

/** True if a token names several things, so that a base form may follow. */
export function isPlural({ lower, kind, text, isKnown }: Token): boolean {
  if (isKnown) return false
  if (/^(?:people|data|we|you|they|i|these|those)$/u.test(lower)) return true
  if (/^\p{Lu}{2,}s$/u.test(text)) return true
  return (
    kind === 'word' &&
    /[^su]s$/u.test(lower) &&
    !singularEnding.test(lower) &&
    !isFirstName(text) &&
    !isTool(text)
  )
}

const isNominal = (token: Token): boolean => token.cls === 'noun' || token.cls === 'name'

/** Finds the finite verb in `[from, to)`; -1 if no candidate reaches the least score. */
export function finiteVerbAt(tokens: readonly Token[], from: number, to: number, least: number): number {
  const inside = tokens.slice(0, to)
  const scores = inside.map((_, at) => (at < from ? impossible : scoreOf(inside, at, from)))
  let best = -1
  let bestScore = impossible
  for (let at = from; at < to; at++) {
    const score = (scores[at] as number) - (at - from) * 0.2
    if (score > bestScore) [best, bestScore] = [at, score]
    if ((scores[at] as number) >= 10) break
  }
  if (best === from && inside[best]?.form === 'base' && !orders.test(inside[best]?.lemma ?? '')) {
    const later = laterVerb(inside, scores, from)
    if (later > 0) [best, bestScore] = [later, scores[later] as number]
  }
  return bestScore < least ? -1 : best
}

/** `Benchmarks run`: a base form that begins the range is a noun where a later verb agrees. */
function laterVerb(tokens: readonly Token[], scores: readonly number[], from: number): number {
  let best = -1
  for (let at = from + 1; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.cls === 'subordinator' || token.cls === 'relative' || token.text === ',') break
    const score = scores[at] as number
    if (score > (best < 0 ? 3.9 : (scores[best] as number)) && ['s', 'past'].includes(token.form ?? ''))
      best = at
  }
  return best
}

/** How likely a token is the finite verb of its range; sets its lemma and form. */
function scoreOf(tokens: readonly Token[], at: number, from: number): number {
  const token = tokens[at] as Token
  const before = skipAdverbs(tokens, at - 1, from)
  const previous = before >= from ? tokens[before] : undefined
  if (token.cls in fixed) {
    if (notFinite.has(token.lower) || previous?.cls === 'to') return impossible
    if (token.cls === 'modal' && ['determiner', 'adjective'].includes(previous?.cls ?? '')) return impossible
    return fixed[token.cls] as number
  }
  if (token.cls !== 'verb' || isBlocked(tokens, before, at, previous)) return impossible
  let best = impossible
  for (const verb of formsOf(token)) {
    const score = scoreOfForm(tokens, { at, from, before, previous, verb })
    if (score > best) {
      best = score
      token.lemma = verb.lemma
      token.form = verb.form
    }
  }
  return best
}

function skipAdverbs(tokens: readonly Token[], at: number, from: number): number {
  let index = at
  while (index >= from && ['adverb', 'negation'].includes(tokens[index]?.cls ?? '')) index--
  return index
}

const determinersBeforeVerb = new Set(['each', 'all', 'both', 'this', 'these', 'that', 'those', 'some'])

function isBlocked(
  tokens: readonly Token[],
  before: number,
  at: number,
  previous: Token | undefined,
): boolean {
  if (!previous) return false
  const { cls, lower } = previous
  if (cls === 'determiner' || cls === 'possessive') return !determinersBeforeVerb.has(lower)
  if (cls === 'to') return true
  if (cls === 'adjective') return before === at - 1
  if (cls !== 'preposition') return false
  if (!particles.has(lower)) return true
  return (
    before === at - 1 &&
    !formsOf(tokens[before - 1]).some(({ lemma }) => phrasalVerbs.has(`${lemma} ${lower}`))
  )
}

interface FormContext {
  at: number
  from: number
  /** Index of the token before, adverbs skipped. */
  before: number
  previous: Token | undefined
  verb: Verb
}

function scoreOfForm(tokens: readonly Token[], context: FormContext): number {
  const { at, from, before, previous, verb } = context
  const begins = !previous || previous.cls === 'mark' || previous.cls === 'conjunction'
  let score = impossible
  if (verb.form === 's') score = scoreOfS(tokens, context)
  else if (verb.form === 'base') score = scoreOfBase(tokens, context, begins)
  else if (verb.form === 'past') score = previous ? 7 : 5
  else if (verb.form === 'ed') score = begins ? 4.1 : previous?.cls === 'pronoun' ? 8 : 3.5
  if (score < -50) return score
  // `Henrik Dahl likes feature flags`: the word after a capitalised subject is the verb.
  const afterName = verbAfterName(tokens, from)
  if (afterName > 0 && at > afterName && ['s', 'base'].includes(verb.form) && !hasEnd(tokens, afterName, at))
    score -= 4
  if (verb.form === 'base' && tokens[at - 1]?.cls === 'negation') score = 9
  if (verb.form === 'base' && tokens[at - 1]?.lower === 'please') score = 12
  score += scoreOfNext(tokens, at, verb)
  if (before !== at - 1) score += 1.5
  const isOrder = verb.form === 'base' && at === 0 && orders.test(verb.lemma) && !isCompound(tokens)
  if (isOrder && tokens[at + 1]?.cls !== 'possessive') score += 4
  // `cleaned ones in X`: a participle that describes what follows.
  if (verb.form === 'ed' && /^ones?$/u.test(tokens[at + 1]?.lower ?? '')) score -= 9
  if (verb.form === 'ed' && previous?.cls === 'verb' && before === at - 1 && previous.form === 's') score -= 4
  // `Finn prefers table tests`: what is liked may be verbs by their form.
  if (previous && isNominal(previous) && /^(?:prefer|dislike|hate|want)$/u.test(verb.lemma)) score += 3
  if (
    verb.form === 's' &&
    at - from <= 3 &&
    previous &&
    (previous.cls === 'name' || previous.kind === 'word') &&
    previous.cls !== 'verb' &&
    /-|_|\d/u.test(previous.text)
  )
    score += 1
  return score
}

/** `Push notifications arrive twice`: the first word describes the subject. */
function isCompound([, noun, verb, next]: readonly Token[]): boolean {
  return (
    noun !== undefined &&
    isPlural(noun) &&
    verb?.form === undefined &&
    isForm(verb, 'base') &&
    (!next || ['adverb', 'preposition', 'to'].includes(next.cls) || next.text === '.')
  )
}

/** Index of a verb in the singular directly after one to three capitalised words; -1 without one. */
function verbAfterName(tokens: readonly Token[], from: number): number {
  let at = from
  while (at < from + 3 && /^\p{Lu}/u.test(tokens[at]?.text ?? '') && isNominal(tokens[at] as Token)) at++
  if (at === from || isPlural(tokens[from] as Token)) return -1
  return isForm(tokens[at], 's') ? at : -1
}

function hasEnd(tokens: readonly Token[], from: number, to: number): boolean {
  return tokens.slice(from, to).some(({ cls, text }) => cls === 'conjunction' || /^[,;:]$/u.test(text))
}

/** Finds the head that agrees with the verb, before the first preposition. */
function headBefore(
  tokens: readonly Token[],
  from: number,
  at: number,
  previous: Token | undefined,
): Token | undefined {
  const before = tokens.slice(from, at)
  const cut = before.findIndex(
    ({ cls }, index) => index > 0 && (cls === 'preposition' || cls === 'to' || cls === 'possessive'),
  )
  if (cut <= 0 || before[cut]?.cls === 'possessive') return previous
  const heads = before.slice(0, cut).reverse()
  return heads.find(token => isNominal(token) || token.cls === 'verb') ?? before[cut - 1]
}

/** `Shard 4 fails`: the number belongs to the one noun before it. */
function isNumbered(tokens: readonly Token[], from: number, at: number): boolean {
  const noun = tokens[at]
  return (
    noun !== undefined &&
    at >= from &&
    isNominal(noun) &&
    tokens.slice(from, at).every(({ cls }) => cls === 'determiner' || cls === 'adjective')
  )
}

/** `Needs Java 21`: verbs that open a note without its subject. */
const opening = /^(?:need|require|use|run|listen|depend|talk)$/u

function scoreOfS(tokens: readonly Token[], { at, from, previous, verb }: FormContext): number {
  if (at === 0 && opening.test(verb.lemma) && tokens[1]?.lower !== 'of') return 3
  // `which allows`
  if (!previous && tokens[at - 1]?.cls === 'relative') return 8
  if (!previous || previous.cls === 'mark') return 1
  let score = 5
  const head = headBefore(tokens, from, at, previous) ?? previous
  const before = tokens.slice(from, at)
  // `allows 20 requests`: a number after a verb counts.
  if (previous.cls === 'number' && previous.kind !== 'version')
    score -= isForm(tokens[at - 2], 's') ? 6 : isNumbered(tokens, from, at - 2) ? 0 : 2
  else if (
    isPlural(head) &&
    head.lower !== 'data' &&
    verbAfterName(tokens, from) !== at &&
    (isNominal(head) || head.cls === 'verb') &&
    !before.some(({ cls }) => cls === 'conjunction')
  )
    // `invoices listens`: a plural by itself may name one thing.
    score -= at === from + 1 ? 3 : 4
  if (previous.cls === 'verb') score -= 0.5
  return score
}

function scoreOfBase(
  tokens: readonly Token[],
  { at, from, previous, verb }: FormContext,
  begins: boolean,
): number {
  const before = tokens.slice(from, at)
  const head = headBefore(tokens, from, at, previous)
  const isSeveral =
    before.some(({ cls, lower }) => cls === 'conjunction' && lower === 'and') ||
    (head !== undefined && isPlural(head))
  if (begins) {
    const next = tokens[skipForward(tokens, at + 1)]
    const isNoun = next && ['preposition', 'subordinator', 'to'].includes(next.cls)
    return isNoun &&
      !/^(?:refer|look|log|wait|check|go|switch|connect|click|talk|stick|opt|agree|listen|subscribe|write|publish|deploy|migrate|move|ssh)$/u.test(
        verb.lemma,
      )
      ? 0.5
      : 4
  }
  if (!previous) return 4
  // `one test per case`: a pronoun in the singular takes no base form.
  if (/^(?:one|he|she|it|(?:every|any|some|no)(?:one|body|thing))$/u.test(previous.lower)) return -1
  if (previous.cls === 'pronoun' || previous.lower === 'please') return 8
  // `Rosa likes rebase`
  if (at === from + 2 && isForm(previous, 's') && isFirstName(tokens[from]?.text ?? '')) return -1
  if (isPlural(previous)) return isForm(previous, 's') ? 6 : 5
  if (isSeveral && (['noun', 'name', 'number'].includes(previous.cls) || isForm(previous, 'ing'))) return 4
  return previous.cls === 'number' ? -3 : -1
}

/** Index of the next token that is neither adverb nor negation. */
export function skipForward(tokens: readonly Token[], at: number): number {
  let index = at
  while (index < tokens.length && ['adverb', 'negation'].includes(tokens[index]?.cls ?? '')) index++
  return index
}

function scoreOfNext(tokens: readonly Token[], at: number, { form }: Verb): number {
  const next = tokens[skipForward(tokens, at + 1)]
  if (!next) return 0.5
  let score = 0
  if (
    ['determiner', 'preposition', 'to', 'pronoun', 'number', 'adjective', 'subordinator'].includes(next.cls)
  )
    score += 2
  else if (next.cls === 'name') score += 1
  else if (['be', 'modal', 'have', 'do'].includes(next.cls)) score -= 6
  else if (
    next.cls === 'verb' &&
    form === 'base' &&
    tokens[at - 1]?.cls !== 'pronoun' &&
    isForm(next, 's', 'past')
  )
    score -= 2
  else if (
    next.cls === 'verb' &&
    form === 's' &&
    isForm(next, 'base') &&
    !isFirstName(tokens[at - 1]?.text ?? '')
  )
    score -= 2.5
  if (next.cls === 'pronoun' && /^(?:it|them|us|him|her|me|you)$/u.test(next.lower)) score += 2
  return score
}
