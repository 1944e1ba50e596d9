import { formsOf, isForm, lemmaOf } from './tag.js'
import type { Token } from './tokens.js'
import { particles, phrasalVerbs } from './words/classes.js'
import { isFirstName, isTool } from './words/names.js'
import type { Verb } from './words/verbs.js'

/** The finite verb of a clause with all that belongs to it: negation, modal, voice, particle. */
export interface VerbGroup {
  /** Index of the first token, auxiliaries and adverbs included. */
  start: number
  /** Index of the finite verb. */
  at: number
  /** Index after the last token. */
  end: number
  lemma: string
  /** The main verb as written. */
  word: string
  particle?: string
  /** `not`, `never`, `no longer`. */
  negation?: string
  modal?: string
  isPassive: boolean
  tense: 'present' | 'past' | 'perfect' | 'progressive' | 'participle'
  isImperative: boolean
  adverbs: string[]
}

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
export function isPlural({ lower, kind, text }: Token): boolean {
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

/** Finds the finite verb in `[from, to)`; undefined if no candidate reaches the least score. */
export function verbGroupIn(
  tokens: readonly Token[],
  from: number,
  to: number,
  least = 3,
): VerbGroup | undefined {
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
  return best < 0 || bestScore < least ? undefined : grown(inside, best, from)
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
    if (notFinite.has(token.lower)) return impossible
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
  if (verb.form === 'base' && tokens[at - 1]?.cls === 'negation') score = 9
  score += scoreOfNext(tokens, at, verb)
  if (before !== at - 1) score += 1.5
  if (verb.form === 'base' && at === 0 && orders.test(verb.lemma) && tokens[at + 1]?.cls !== 'possessive')
    score += 4
  if (verb.form === 'ed' && previous?.cls === 'verb' && before === at - 1 && previous.form === 's') score -= 4
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

/** The head that agrees with the verb stands before the first preposition. */
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

function scoreOfS(tokens: readonly Token[], { at, from, previous }: FormContext): number {
  if (!previous || previous.cls === 'mark') return 1
  let score = 5
  const head = headBefore(tokens, from, at, previous) ?? previous
  const before = tokens.slice(from, at)
  if (previous.cls === 'number' && previous.kind !== 'version') score -= 2
  else if (
    isPlural(head) &&
    (isNominal(head) || head.cls === 'verb') &&
    !before.some(({ cls }) => cls === 'conjunction')
  )
    score -= 4
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
  if (previous.cls === 'pronoun' || previous.lower === 'please') return 8
  if (isPlural(previous)) return isForm(previous, 's') ? 6 : 5
  if (isSeveral && ['noun', 'name', 'number'].includes(previous.cls)) return 4
  return previous.cls === 'number' ? -3 : -1
}

function skipForward(tokens: readonly Token[], at: number): number {
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
  else if (next.cls === 'verb' && form === 's' && isForm(next, 'base')) score -= 2.5
  if (next.cls === 'pronoun' && /^(?:it|them|us|him|her|me|you)$/u.test(next.lower)) score += 2
  return score
}

/** Collects what belongs to the finite verb. */
function grown(tokens: readonly Token[], at: number, from: number): VerbGroup | undefined {
  const token = tokens[at] as Token
  const group: VerbGroup = {
    start: at,
    at,
    end: at + 1,
    lemma: token.lower,
    word: token.lower,
    isPassive: false,
    tense: 'present',
    isImperative: false,
    adverbs: [],
  }
  group.start = takeBackwards(tokens, at, from, group)
  if (token.cls === 'modal') afterModal(tokens, at, group)
  else if (token.cls === 'be') afterBe(tokens, at + 1, group, /^w/u.test(token.lower))
  else if (token.cls === 'have') afterHave(tokens, at, group)
  else if (token.cls === 'do') afterDo(tokens, at, from, group)
  else if (!plainVerb(tokens, at, from, group)) return undefined
  takeParticle(tokens, group)
  const end = skipForward(tokens, group.end)
  for (const { cls, lower } of tokens.slice(group.end, end)) if (cls === 'negation') group.negation ??= lower
  return group
}

function takeBackwards(tokens: readonly Token[], at: number, from: number, group: VerbGroup): number {
  let index = at - 1
  for (; index >= from && ['adverb', 'negation'].includes(tokens[index]?.cls ?? ''); index--)
    take(tokens[index] as Token, group)
  return index + 1
}

function take({ cls, lower }: Token, group: VerbGroup): void {
  if (cls === 'negation') group.negation = lower
  else group.adverbs.push(lower)
}

function takeForwards(tokens: readonly Token[], at: number, group: VerbGroup): number {
  const end = skipForward(tokens, at)
  for (const token of tokens.slice(at, end)) take(token, group)
  return end
}

function setMain(
  tokens: readonly Token[],
  at: number,
  group: VerbGroup,
  ...forms: Parameters<typeof lemmaOf>[1][]
): boolean {
  const lemma = lemmaOf(tokens[at], ...forms)
  if (lemma === undefined) return false
  group.lemma = lemma
  group.word = (tokens[at] as Token).lower
  group.end = at + 1
  return true
}

/** After a form of `be`: a participle makes it passive, `-ing` progressive, otherwise it is the verb. */
function afterBe(tokens: readonly Token[], from: number, group: VerbGroup, isPast = false): void {
  let at = takeForwards(tokens, from, group)
  if (/^(?:being|been)$/u.test(tokens[at]?.lower ?? '')) at = takeForwards(tokens, at + 1, group)
  if (setMain(tokens, at, group, 'ed', 'participle')) group.isPassive = true
  else if (tokens[at]?.lower === 'going' && tokens[at + 1]?.cls === 'to') {
    group.modal = 'will'
    if (!setMain(tokens, at + 2, group, 'base')) group.end = at + 2
  } else if (isForm(tokens[at], 'ing') && tokens[at - 1]?.cls !== 'determiner') {
    setMain(tokens, at, group, 'ing')
    group.tense = 'progressive'
  } else {
    group.lemma = 'be'
    group.word = tokens[from - 1]?.lower ?? 'is'
    group.end = from
  }
  if (isPast) group.tense = 'past'
}

function afterModal(tokens: readonly Token[], at: number, group: VerbGroup): void {
  group.modal = (tokens[at] as Token).lower
  const next = takeForwards(tokens, at + 1, group)
  const main = tokens[next]
  if (group.modal === 'would' && (group.adverbs.includes('rather') || main?.lower === 'like')) {
    group.modal = 'would rather'
    setMain(tokens, main?.lower === 'like' ? next : next, group, 'base')
    return
  }
  if (main?.lower === 'be') {
    afterBe(tokens, next + 1, group)
    if (group.lemma === 'be') group.end = next + 1
  } else if (main?.lower === 'have' && isForm(tokens[next + 1], 'ed', 'participle')) {
    setMain(tokens, next + 1, group, 'ed', 'participle')
    group.tense = 'past'
  } else if (main?.lower === 'have' && tokens[next + 1]?.cls === 'to') {
    group.modal = 'must'
    setMain(tokens, next + 2, group, 'base')
  } else if (main?.lower === 'have') {
    Object.assign(group, { lemma: 'have', word: 'have', end: next + 1 })
  } else if (!setMain(tokens, next, group, 'base')) {
    const isWord = main?.cls === 'noun' && main.kind === 'word'
    Object.assign(
      group,
      isWord ? { lemma: main.lower, word: main.lower, end: next + 1 } : { lemma: group.modal, end: next },
    )
  }
}

function afterHave(tokens: readonly Token[], at: number, group: VerbGroup): void {
  const isPast = tokens[at]?.lower === 'had'
  const next = takeForwards(tokens, at + 1, group)
  if (tokens[next]?.lower === 'been') {
    afterBe(tokens, next + 1, group)
    group.tense = 'perfect'
  } else if (isForm(tokens[next], 'ed', 'participle') && !isForm(tokens[next], 'base')) {
    setMain(tokens, next, group, 'ed', 'participle')
    group.tense = 'perfect'
  } else if (
    tokens[next]?.cls === 'to' &&
    (isForm(tokens[next + 1], 'base') || tokens[next + 1]?.lower === 'be')
  ) {
    group.modal = 'must'
    if (tokens[next + 1]?.lower === 'be') {
      afterBe(tokens, next + 2, group)
      if (group.lemma === 'be') group.end = next + 2
    } else setMain(tokens, next + 1, group, 'base')
  } else {
    group.lemma = 'have'
    if (isPast) group.tense = 'past'
  }
}

function afterDo(tokens: readonly Token[], at: number, from: number, group: VerbGroup): void {
  const next = takeForwards(tokens, at + 1, group)
  const main = tokens[next]
  if (main?.lower === 'have') Object.assign(group, { lemma: 'have', word: 'have', end: next + 1 })
  else if (!setMain(tokens, next, group, 'base') && group.negation && main?.cls === 'noun')
    Object.assign(group, { lemma: main.lower, word: main.lower, end: next + 1 })
  if (tokens[at]?.lower === 'did') group.tense = 'past'
  group.isImperative = tokens[at]?.lower === 'do' && group.start === from
}

/** @returns false for a base form without a subject that agrees and is no order */
function plainVerb(tokens: readonly Token[], at: number, from: number, group: VerbGroup): boolean {
  const token = tokens[at] as Token
  group.lemma = token.lemma ?? token.lower
  if (token.form === 'past' || token.form === 'ed') group.tense = 'past'
  const hasSubject = tokens
    .slice(from, group.start)
    .some(({ cls }) =>
      ['noun', 'name', 'pronoun', 'determiner', 'number', 'verb', 'adjective', 'relative'].includes(cls),
    )
  if (token.form === 'base' && !hasSubject) {
    if (tokens[group.end]?.cls === 'possessive') return false
    group.isImperative = true
  }
  const isObliging = ['need', 'use'].includes(group.lemma) && tokens[group.end]?.cls === 'to'
  const main = group.end + 1
  if (isObliging && (isForm(tokens[main], 'base') || tokens[main]?.lower === 'be')) {
    group.modal = group.lemma === 'need' ? 'must' : 'used to'
    if (tokens[main]?.lower === 'be') {
      afterBe(tokens, main + 1, group)
      if (group.lemma === 'be') group.end = main + 1
    } else setMain(tokens, main, group, 'base')
  }
  return true
}

const looseParticles = new Set(['back', 'out', 'off', 'up', 'down', 'away', 'over', 'together', 'apart'])

function takeParticle(tokens: readonly Token[], group: VerbGroup): void {
  const next = tokens[group.end]
  if (!next || next.cls === 'name') return
  const after = tokens[group.end + 1]
  const isLoose =
    looseParticles.has(next.lower) &&
    next.kind === 'word' &&
    (after?.cls === 'preposition' || after?.cls === 'to')
  if (!phrasalVerbs.has(`${group.lemma} ${next.lower}`) && !isLoose) return
  group.particle = next.lower
  group.end++
}
