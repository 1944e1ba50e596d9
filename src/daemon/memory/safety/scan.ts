import { safetyReasons } from '../../../contract/fields.js'
import { atOnce, everyFewMs, inSlices } from '../../../lib/every-few-ms.js'
import { latinSkeleton } from './confusables.js'
import { decoded, rewritten, spelledOut, unescaped } from './disguise.js'
import { fold } from './fold.js'
import { emptyTally, type InvisibleTally, judgeInvisible, tallyInvisible } from './invisible.js'
import { matches, type Rule, type SafetyReason, type SafetyStatus } from './rule.js'
import { exfiltrationRules } from './rules/exfiltration.js'
import { harvestingRules } from './rules/harvesting.js'
import { languageRules } from './rules/languages.js'
import { markupRules } from './rules/markup.js'
import { overrideRules } from './rules/override.js'
import { personaRules } from './rules/persona.js'
import { sabotageRules } from './rules/sabotage.js'
import { secrecyRules } from './rules/secrecy.js'
import { shellRules } from './rules/shell.js'
import { spelledOutRules } from './rules/spelled-out.js'
import { toolDirectiveRules } from './rules/tool-directive.js'
import { slices } from './slices.js'
import { createView } from './view.js'

/** Changes whenever a text may get another verdict; rows with another version are scanned again (spec 1, 1.6). */
export const policyVersion = '1'

export interface SafetyVerdict {
  status: SafetyStatus
  /** In the order of the contract; empty exactly when the status is clean. */
  reasons: SafetyReason[]
}

/** A rule that matches only once a disguise is undone blocks: nobody disguises text by accident. */
interface Reading {
  disguised: boolean
  /** Whether a quoted attack may count as talk about an attack. */
  quotes: boolean
}

const asWritten: Reading = { disguised: false, quotes: true }
const disguised: Reading = { disguised: true, quotes: true }
const packed: Reading = { disguised: true, quotes: false }

type Findings = Map<SafetyReason, 'tainted' | 'blocked'>

const allRules = [
  ...overrideRules,
  ...personaRules,
  ...secrecyRules,
  ...languageRules,
  ...exfiltrationRules,
  ...harvestingRules,
  ...shellRules,
  ...sabotageRules,
  ...markupRules,
  ...toolDirectiveRules,
]
const proseAndShell = [...overrideRules, ...personaRules, ...secrecyRules, ...shellRules, ...sabotageRules]

/**
 * Judges a text against the content safety policy (spec 1, 1.6). Pure and deterministic; never alters the text and
 * never throws. The cost is linear in the length, about half a second of computing per million characters: use
 * {@link scanContentInSlices} where other work waits.
 */
export function scanContent(text: string): SafetyVerdict {
  return atOnce(scanSteps(text))
}

/**
 * The same verdict as {@link scanContent}, with pauses between small steps of work.
 *
 * @param breathe called between the steps; what it returns is awaited, `undefined` goes on at once. By default the
 * event loop gets a turn after every 8 ms.
 */
export function scanContentInSlices(text: string, breathe = everyFewMs()): Promise<SafetyVerdict> {
  return inSlices(scanSteps(text), breathe)
}

function* scanSteps(text: string): Generator<undefined, SafetyVerdict> {
  const findings: Findings = new Map()
  let tally = emptyTally()
  for (const slice of slices(text)) {
    const invisible = tallyInvisible(text.slice(slice.coreStart, slice.end), tally)
    tally = invisible.tally
    yield
    yield* scanSlice(text.slice(slice.start, slice.end), invisible.hidden, findings)
  }
  return verdict(findings, tally)
}

/** Every reading of the text: as it stands first, so that only what a disguise hid counts as disguised. */
function* scanSlice(text: string, hidden: string, findings: Findings): Generator<undefined> {
  const folded = fold(text)
  const skeleton = latinSkeleton(folded)
  yield* apply(allRules, folded, findings, asWritten)
  if (skeleton !== folded) yield* apply(allRules, skeleton, findings, disguised)
  for (const reading of rewritten(skeleton)) yield* apply(proseAndShell, reading, findings, disguised)
  for (const reading of unescaped(text)) yield* apply(allRules, fold(reading), findings, disguised)
  for (const reading of decoded(text)) yield* apply(allRules, fold(reading), findings, packed)
  yield* apply(spelledOutRules, spelledOut(skeleton), findings, packed)
  yield* apply(allRules, fold(hidden), findings, packed)
}

function* apply(
  rules: readonly Rule[],
  text: string,
  findings: Findings,
  reading: Reading,
): Generator<undefined> {
  if (text === '') return
  const view = createView(text, reading)
  for (const rule of rules) {
    const known = findings.get(rule.reason)
    if (known === 'blocked' || known === rule.status) continue
    if (matches(rule, view)) findings.set(rule.reason, reading.disguised ? 'blocked' : rule.status)
    yield
  }
}

/** Two independent suspicions make a certainty; one stray invisible character counts once an attack was found. */
function verdict(findings: Findings, tally: InvisibleTally): SafetyVerdict {
  const all = new Map<SafetyReason, SafetyStatus>(findings)
  const invisible = judgeInvisible(tally)
  if (invisible !== 'clean') all.set('invisible_unicode', invisible)
  else if (findings.size > 0 && tally.insideWords > 0) all.set('invisible_unicode', 'tainted')
  const reasons = safetyReasons.filter(reason => all.has(reason))
  if (reasons.length === 0) return { status: 'clean', reasons }
  const blocked = reasons.length > 1 || all.get(reasons[0]!) === 'blocked'
  return { status: blocked ? 'blocked' : 'tainted', reasons }
}
