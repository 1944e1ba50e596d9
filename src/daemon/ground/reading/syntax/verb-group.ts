import { phrasalVerbs } from '../words/classes.js'
import { isForm, lemmaOf } from './tag.js'
import type { Token } from './tokens.js'
import { finiteVerbAt, skipForward } from './verb-score.js'

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

/** Finds the finite verb in `[from, to)` with all that belongs to it; undefined below the least score. */
export function verbGroupIn(
  tokens: readonly Token[],
  from: number,
  to: number,
  least = 3,
): VerbGroup | undefined {
  const at = finiteVerbAt(tokens, from, to, least)
  return at < 0 ? undefined : grown(tokens.slice(0, to), at, from)
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
  takeGerund(tokens, group)
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
    if (main?.lower === 'have') Object.assign(group, { lemma: 'have', word: 'have', end: next + 1 })
    else setMain(tokens, next, group, 'base')
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
  if (group.end === at + 1) group.lemma = 'do'
  if (tokens[at]?.lower === 'did') group.tense = 'past'
  group.isImperative = tokens[at]?.lower === 'do' && group.start === from
}

/** @returns false for a base form that is neither an order nor agrees with a subject */
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
    // `rebase, not merge commits` contrasts two nouns.
    if (tokens[group.end]?.cls === 'possessive' || group.negation === 'not') return false
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

/** `ended up going with X`, `started using X`: the second verb says what was done. */
function takeGerund(tokens: readonly Token[], group: VerbGroup): void {
  const isBegun =
    (group.lemma === 'end' && group.particle === 'up') || /^(?:start|begin|continue)$/u.test(group.lemma)
  if (!isBegun || group.isPassive || !setMain(tokens, group.end, group, 'ing')) return
  delete group.particle
  if (group.tense === 'past') group.tense = 'perfect'
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
