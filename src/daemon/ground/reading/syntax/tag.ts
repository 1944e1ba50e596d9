import {
  adjectives,
  adverbs,
  beForms,
  conjunctions,
  determiners,
  doForms,
  haveForms,
  modals,
  numerals,
  prepositions,
  pronouns,
  subordinators,
  type WordClass,
} from '../words/classes.js'
import { isFirstName, isTool } from '../words/names.js'
import { type Verb, type VerbForm, verbs } from '../words/verbs.js'
import type { Token } from './tokens.js'

const amounts: ReadonlySet<string> = new Set(['quantity', 'number', 'version', 'date', 'time'])

/**
 * Gives each token of a sentence its class.
 * @param isKnown true for the name of something known, which is a name in lower case too
 */
export function tag(tokens: readonly Token[], isKnown: (name: string) => boolean = () => false): void {
  tokens.forEach((token, at) => {
    if (token.kind === 'compound') return
    token.cls = classOf(token, at, tokens)
    if (!['noun', 'verb'].includes(token.cls) || token.kind !== 'word' || !isKnown(token.text)) return
    token.isKnown = true
    if (token.cls === 'noun') token.cls = 'name'
  })
}

/** Neither a name nor a technical word. */
const plain = /^[a-z]+$/u

function classOf(token: Token, at: number, tokens: readonly Token[]): WordClass {
  const { kind, text, lower } = token
  if (kind === 'mark') return 'mark'
  if (kind === 'possessive') return 'possessive'
  if (amounts.has(kind)) return 'number'
  if (kind !== 'word') return 'name'
  if (plain.test(text) || emphasised.test(text))
    return closedClass(token, at, tokens) ?? openClass(token, at, tokens)
  const before = tokens[at - 1]
  const isCapital = /^\p{Lu}/u.test(text)
  const isFirst = at === 0 || /^[:;—–(→-]$/u.test(before?.text ?? '')
  if (/^[a-z]+(?:-[a-z]+)+$/u.test(text) && !verbs.has(lower) && !adjectives.has(lower))
    return isHyphenedVerb(lower, before, tokens[at + 1])
      ? 'verb'
      : isHyphenedAdjective(lower, tokens[at + 1])
        ? 'adjective'
        : 'noun'
  const isTechnical = /^\P{L}*\p{L}.*[-_\d&+:]|^\p{Lu}{2,}s?$|\p{Ll}\p{Lu}|^\d+\p{L}/u.test(text)
  if (isTechnical && !verbs.has(lower) && !adjectives.has(lower)) return 'name'
  // `the worker OOMs`
  const isVerb = /^\p{Lu}{2,}s$/u.test(text) && verbs.get(lower)?.some(({ form }) => form === 's')
  if (isVerb) return 'verb'
  if (isCapital && !isFirst && lower !== 'i' && !(text.length === 1 && before?.cls !== 'preposition'))
    return 'name'
  if (isFirst && isCapital) token.isFirst = true
  return closedClass(token, at, tokens) ?? openClass(token, at, tokens)
}

/** Words in capitals for emphasis, unlike the `CAN` bus. */
const emphasised = /^(?:ALWAYS|NEVER|NOT|NO|ONLY|MUST|SHOULD|SHALL|DO|ALL|EVERY|PLEASE|AND|OR)$/u

/** `is server-rendered with`, `we will self-host`: the last part is a verb. */
function isHyphenedVerb(lower: string, before: Token | undefined, next: Token | undefined): boolean {
  const forms = verbs.get(lastPart(lower)) ?? []
  if (/^(?:modal|to|pronoun|negation)$/u.test(before?.cls ?? ''))
    return forms.some(({ form }) => form === 'base')
  return (
    before?.cls === 'be' &&
    forms.some(({ form }) => form === 'ed' || form === 'participle') &&
    /^(?:with|by|on|in|to|via|at|from)$/u.test(next?.lower ?? '')
  )
}

function lastPart(word: string): string {
  return word.slice(word.lastIndexOf('-') + 1)
}

function isHyphenedAdjective(lower: string, next: Token | undefined): boolean {
  return (
    /(?:able|ed|ing|ive|ic|al|wide|free|only|level|based|side)$/u.test(lower) &&
    next?.kind === 'word' &&
    !/^(?:is|are|was|were|to|on|in)$/u.test(next.lower)
  )
}

const closedWords: readonly (readonly [WordClass, Iterable<string>])[] = [
  ['negation', ['not', 'never']],
  ['be', beForms],
  ['have', haveForms],
  ['do', doForms],
  ['modal', modals],
  ['to', ['to']],
  ['relative', ['that', 'which', 'who']],
  ['determiner', determiners],
  ['pronoun', pronouns],
  ['conjunction', conjunctions],
  ['preposition', prepositions],
  ['subordinator', subordinators],
]
/** A word of several classes has the first one. */
const closed = new Map(
  closedWords.toReversed().flatMap(([cls, words]) => [...words].map(word => [word, cls] as const)),
)

/** Words whose class depends on those beside them. */
const dependent = new Set(
  'how why what please about till past off inside outside out down up over like'.split(' '),
)

function closedClass({ text, lower }: Token, at: number, tokens: readonly Token[]): WordClass | undefined {
  const isCapital = /^\p{Lu}/u.test(text)
  if (!isCapital && !dependent.has(lower)) return closed.get(lower)
  const before = tokens[at - 1]
  if (/^(?:how|why|what)$/u.test(lower) && at > 0) return 'subordinator'
  if (lower === 'please') return 'adverb'
  if (lower === 'about' && nextClass(tokens[at + 1]) === 'number') return 'adverb'
  if (
    /^(?:the|a|our)$/u.test(before?.lower ?? '') &&
    /^(?:till|past|off|inside|outside|out|down|up|over)$/u.test(lower)
  )
    return 'noun'
  if (
    lower === 'like' &&
    before &&
    (/^(?:i|we|they|you|would|not|do|really)$/u.test(before.lower) || /[^s]s$/u.test(before.lower))
  )
    return 'verb'
  if (isCapital && isTool(text) && /^(?:number|name)$/u.test(nextClass(tokens[at + 1]))) return 'name'
  return closed.get(lower)
}

function nextClass(next: Token | undefined): string {
  if (!next) return ''
  if (amounts.has(next.kind)) return 'number'
  return /^\p{Lu}/u.test(next.text) ? 'name' : ''
}

const nounsLikeAdjectives = new Set(
  `table cable variable executable timetable deliverable topic metric traffic logic fabric music mechanic graphic clinic
  statistic heuristic mosaic arithmetic analytic archive drive objective directive alternative perspective initiative
  incentive primitive radical vertical bundle finish polish wish dish english spanish`.split(/\s+/u),
)

function openClass(token: Token, at: number, tokens: readonly Token[]): WordClass {
  const { text, lower, isFirst } = token
  const before = tokens[at - 1]
  if (adjectives.has(lower)) return isVerbalAdjective(lower, before, tokens[at + 1]) ? 'verb' : 'adjective'
  if (adverbs.has(lower)) return 'adverb'
  if (numerals.has(lower)) return 'number'
  if (isFirst && isTool(text) && !verbs.has(lower)) return 'name'
  if (isFirst && isFirstName(text) && !verbs.has(lower)) return 'name'
  if (verbs.has(lower)) return 'verb'
  if (/[^aeious]ly$/u.test(lower) && lower.length > 4) return 'adverb'
  const isAdjective =
    /(?:able|ible|ous|ful|less|ive|ical|ic|ish)$/u.test(lower) && !nounsLikeAdjectives.has(lower)
  if (isAdjective && !isFirst && lower.length > 4) return isTool(text) ? 'name' : 'adjective'
  return 'noun'
}

/** `open`, `clean` and others are verbs after a subject or `to`. */
function isVerbalAdjective(lower: string, before: Token | undefined, next: Token | undefined): boolean {
  if (!before || !verbs.has(lower)) return false
  // `Deep links open twice`
  if (/[^s]s$/u.test(before.lower) && before.cls !== 'be' && adverbs.has(next?.lower ?? '')) return true
  return ['to', 'modal', 'negation', 'pronoun'].includes(before.cls)
}

/** The verbs that a token may be a form of; names are none. */
export function formsOf(token: Token | undefined): readonly Verb[] {
  if (token?.kind !== 'word' || token.cls === 'name') return []
  return verbs.get(token.lower) ?? (token.cls === 'verb' ? (verbs.get(lastPart(token.lower)) ?? []) : [])
}

export function isForm(token: Token | undefined, ...forms: readonly VerbForm[]): boolean {
  return formsOf(token).some(({ form }) => forms.includes(form))
}

export function lemmaOf(token: Token | undefined, ...forms: readonly VerbForm[]): string | undefined {
  return formsOf(token).find(({ form }) => forms.includes(form))?.lemma
}
