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
import { isAscii } from '../../lib/text/is-ascii.js'
import { decodePayloads, joinSpelledLetters, latinSkeleton, textVariants, unescaped } from './disguise.js'
import { emptyTally, type InvisibleTally, judgeInvisible, tallyInvisible } from './invisible.js'
import { matches, type SafetyReason, type SafetyStatus } from './rules/rule.js'
import type { RuleSet } from './rules/rule-set.js'
import { ruleSets, vocabulary } from './rules.js'
import { fold } from './text/fold.js'
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
