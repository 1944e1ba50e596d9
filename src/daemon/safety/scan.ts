import { isAscii } from '../../lib/text/is-ascii.js'

/** White space other than single blanks, and emphasis marks: the parts of ASCII text that folding changes. */
const uneven = /[*_]|[^\S ]| {2}/
// All invisible characters: joiners, direction marks, fillers, variation selectors, tags.
const ignorable = new RegExp(
  [
    String.raw`\u034f`,
    String.raw`[\u00ad\u061c\u0640\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]`,
    String.raw`[\u180b-\u180d\u180f]`,
    String.raw`[\ufe00-\ufe0f]`,
    String.raw`[\u{e0000}-\u{e0fff}]`,
  ].join('|'),
  'gu',
)
const doubleQuotes = /[\u201c-\u201f\u00ab\u00bb\u300c-\u300f\u2033]/g
const singleQuotes = /[\u2018-\u201b\u2032\u00b4]/g
const emphasis = /[*_]+/g
// Circled, squared and flag letters, which compatibility normalisation doesn't change: 26 letters from each
// start.
const letterBlocks = [0x1f150, 0x1f170, 0x1f1e6]
const boxedLetter = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu

/**
 * The form that rules are matched against: lower case, with plain compatibility letters and uniform quotes
 * and white space. It has no accents on Latin letters, Arabic vowel signs, Markdown emphasis or invisible
 * characters.
 */
export function fold(text: string): string {
  const plain = isAscii(text) ? text.toLowerCase() : foldUnicode(text)
  if (!uneven.test(plain)) return plain
  return plain
    .replace(/\\\r?\n/g, ' ')
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, ' ')
    .replace(/ \n ?|\n /g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(emphasis, withoutEmphasis)
}

function foldUnicode(text: string): string {
  return text
    .replace(ignorable, '')
    .replace(boxedLetter, unboxed)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/([\s!-~α-ω])[\u0300-\u036f]+/g, '$1')
    .replace(/[\u064b-\u0652\u0591-\u05c7]/g, '')
    .replace(doubleQuotes, '"')
    .replace(singleQuotes, "'")
    .normalize('NFC')
}

function unboxed(char: string): string {
  const point = char.codePointAt(0)!
  const start = letterBlocks.find(block => point >= block && point < block + 26)!
  return String.fromCharCode(97 + point - start)
}

/** Marks at the edge of a word are Markdown; elsewhere they belong to a name or a command. */
function withoutEmphasis(marks: string, at: number, text: string): string {
  const opens = (at === 0 || /\s/.test(text[at - 1]!)) && /[a-z]/.test(text[at + marks.length] ?? '')
  const closes = /[a-z]/.test(text[at - 1] ?? '') && /[\s.,;:!?)]|^$/.test(text[at + marks.length] ?? '')
  return opens || closes ? '' : marks
}

/**
 * Content safety: judges whether a text may be shown to an agent, or tries to give it orders (content-
 * safety.md).
 *
 * A text comes in, and a verdict goes out: clean, tainted or blocked, with its reasons and the rules that
 * decided. `rules/` has the patterns, `text/` prepares a text for them, `disguise.ts` and `invisible.ts`
 * undo hiding. It computes only: it reads no settings and no database. Callers store the verdict with the
 * row and leave blocked rows out of what agents read.
 */

import { safetyReasons } from '../../contract/ground/fields.js'
import { everyFewMs, inSlices, runToEnd } from '../../lib/concurrency/every-few-ms.js'
import { latinSkeleton } from './confusables.js'
import { decodePayloads, joinSpelledLetters, textVariants, unescaped } from './disguise.js'
import { emptyTally, type InvisibleTally, judgeInvisible, tallyInvisible } from './invisible.js'
import { matches, type SafetyReason, type SafetyStatus } from './rules/rule.js'
import type { RuleSet } from './rules/rule-set.js'
import { ruleSets, vocabulary } from './rules.js'
import { createView } from './text/view.js'

export interface SafetyVerdict {
  status: SafetyStatus
  /** In the order of the contract; empty exactly when the status is clean. */
  reasons: SafetyReason[]
  /** Ids of the rules that decided, one or two for each reason. */
  rules: string[]
}

/**
 * One variant of the text. A rule that matches only a disguised variant blocks: no text is disguised by
 * accident.
 */
interface TextVariant {
  disguised: boolean
  /** Allows a quoted attack to count as a mention. */
  quotes: boolean
}

const asWritten: TextVariant = { disguised: false, quotes: true }
const disguised: TextVariant = { disguised: true, quotes: true }
const packed: TextVariant = { disguised: true, quotes: false }
/** Invisible characters are counted, not matched. */
const invisibleRule = 'invisible-characters'

type Findings = Map<SafetyReason, { status: 'tainted' | 'blocked'; rules: readonly string[] }>

/**
 * Scans a text against the content safety policy (rules.md 1.6). Pure and deterministic; it never changes the
 * text and never throws. The cost is linear, about half a second of CPU per million characters: use {@link
 * scanContentInSlices} where other work waits.
 */
export function scanContent(text: string): SafetyVerdict {
  return runToEnd(scanSteps([text]))
}

/**
 * The same verdict as {@link scanContent}, with pauses between small steps of work.
 * @param breathe called between the steps; a returned promise is awaited, `undefined` continues at once. By
 * default the event loop gets a turn every 8 ms.
 */
export function scanContentInSlices(text: string, breathe = everyFewMs()): Promise<SafetyVerdict> {
  return scanTextsInSlices([text], breathe)
}

/** Compiles the rules in small steps; otherwise the first scan does, delaying its request. */
export function prepareScan(): Promise<void> {
  return inSlices(vocabulary.complete())
}

/** Returns one verdict on several texts that belong together; none excuses the content of another. */
export function scanTextsInSlices(texts: readonly string[], breathe = everyFewMs()): Promise<SafetyVerdict> {
  return inSlices(scanSteps(texts), breathe)
}

function* scanSteps(texts: readonly string[]): Generator<undefined, SafetyVerdict> {
  yield* vocabulary.complete()
  const findings: Findings = new Map()
  let tally = emptyTally()
  for (const text of texts)
    for (const slice of slices(text)) {
      const invisible = tallyInvisible(text.slice(slice.coreStart, slice.end), tally)
      tally = invisible.tally
      yield
      yield* scanSlice(text.slice(slice.start, slice.end), invisible.hidden, findings)
    }
  return verdict(findings, tally)
}

/**
 * Scans every variant of the text. The original comes first, so that only disguised attacks count as
 * disguised.
 */
function* scanSlice(text: string, hidden: string, findings: Findings): Generator<undefined> {
  const folded = fold(text)
  const skeleton = isAscii(folded) ? folded : latinSkeleton(folded)
  yield* apply(ruleSets.all, folded, findings, asWritten)
  if (skeleton !== folded) yield* apply(ruleSets.all, skeleton, findings, disguised)
  for (const reading of textVariants(skeleton))
    yield* apply(ruleSets.proseAndShell, reading, findings, disguised)
  for (const reading of unescaped(text)) yield* apply(ruleSets.all, fold(reading), findings, disguised)
  for (const reading of decodePayloads(text)) yield* apply(ruleSets.all, fold(reading), findings, packed)
  yield* apply(ruleSets.joinedLetters, joinSpelledLetters(skeleton), findings, packed)
  yield* apply(ruleSets.all, fold(hidden), findings, packed)
}

function* apply(
  rules: RuleSet,
  text: string,
  findings: Findings,
  reading: TextVariant,
): Generator<undefined> {
  if (text === '') return
  const view = createView(text, vocabulary, reading)
  for (const { rule, stretches } of rules.near(view)) {
    const known = findings.get(rule.reason)
    if (known?.status === 'blocked' || known?.status === rule.status) continue
    if (matches(rule, view, stretches))
      findings.set(rule.reason, {
        status: reading.disguised ? 'blocked' : rule.status,
        rules: [...(known?.rules ?? []), rule.id],
      })
    yield
  }
}

/** Two independent suspicions block; a single stray invisible character counts only next to an attack. */
function verdict(findings: Findings, tally: InvisibleTally): SafetyVerdict {
  const all: Findings = new Map(findings)
  const invisible = judgeInvisible(tally)
  if (invisible !== 'clean') all.set('invisible_unicode', { status: invisible, rules: [invisibleRule] })
  else if (findings.size > 0 && tally.insideWords > 0)
    all.set('invisible_unicode', { status: 'tainted', rules: [invisibleRule] })
  const reasons = safetyReasons.filter(reason => all.has(reason))
  const rules = reasons.flatMap(reason => all.get(reason)?.rules ?? [])
  if (reasons.length === 0) return { status: 'clean', reasons, rules }
  const blocked = reasons.length > 1 || all.get(reasons[0]!)?.status === 'blocked'
  return { status: blocked ? 'blocked' : 'tainted', reasons, rules }
}

/**
 * A part of a long text. Neighbouring slices overlap by `[start, coreStart)`, so a phrase on the cut is found
 * whole.
 */
interface Slice {
  start: number
  coreStart: number
  end: number
}

const sliceLength = 16_384

const overlap = 1024

/** Splits a text into slices of about 16 Ki UTF-16 units, at white space if there is any near the cut. */
function* slices(text: string): Generator<Slice> {
  let coreStart = 0
  while (coreStart < text.length || coreStart === 0) {
    const end = cutBefore(text, coreStart + sliceLength)
    yield { start: Math.max(0, cutBefore(text, coreStart - overlap)), coreStart, end }
    if (end >= text.length) return
    coreStart = end
  }
}

/** The last white space at or shortly before `wanted`, otherwise `wanted`; never inside a surrogate pair. */
function cutBefore(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length
  if (wanted <= 0) return 0
  for (let at = wanted; at > wanted - overlap && at > 0; at--) if (/\s/.test(text[at]!)) return at
  return /[\udc00-\udfff]/.test(text[wanted]!) ? wanted - 1 : wanted
}
