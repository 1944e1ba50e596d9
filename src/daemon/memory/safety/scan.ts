import { setImmediate as nextTurn } from 'node:timers/promises'
import { safetyReasons } from '../../../contract/fields.js'
import { latinSkeleton } from './confusables.js'
import { decoded, rewritten, spelledOut, unescaped } from './disguise.js'
import { fold } from './fold.js'
import { emptyTally, type InvisibleTally, judgeInvisible, tallyInvisible } from './invisible.js'
import { matches, type Rule, type SafetyReason, type SafetyStatus } from './rule.js'
import { exfiltrationRules } from './rules/exfiltration.js'
import { harvestingRules } from './rules/harvesting.js'
import { languageRules } from './rules/languages.js'
import { overrideRules } from './rules/override.js'
import { personaRules } from './rules/persona.js'
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

type Findings = Map<SafetyReason, 'tainted' | 'blocked'>

const allRules = [
  ...overrideRules,
  ...personaRules,
  ...languageRules,
  ...exfiltrationRules,
  ...harvestingRules,
  ...shellRules,
  ...toolDirectiveRules,
]
const proseAndShell = [...overrideRules, ...personaRules, ...shellRules]

/**
 * Judges a text against the content safety policy (spec 1, 1.6). Pure and deterministic; never alters the text and
 * never throws. Cost is linear in the length; use {@link scanContentInSlices} for texts above a few hundred
 * thousand characters on the daemon's thread.
 */
export function scanContent(text: string): SafetyVerdict {
  const steps = scanSteps(text)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same verdict as {@link scanContent}, with a turn of the event loop after every 16 Ki characters. */
export async function scanContentInSlices(text: string): Promise<SafetyVerdict> {
  const steps = scanSteps(text)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextTurn()
  }
}

function* scanSteps(text: string): Generator<undefined, SafetyVerdict> {
  const findings: Findings = new Map()
  let tally = emptyTally()
  for (const slice of slices(text)) {
    const invisible = tallyInvisible(text.slice(slice.coreStart, slice.end), tally)
    tally = invisible.tally
    scanSlice(text.slice(slice.start, slice.end), invisible.hidden, findings)
    yield
  }
  return verdict(findings, tally)
}

/** Every reading of the text: as it stands first, so that only what a disguise hid counts as disguised. */
function scanSlice(text: string, hidden: string, findings: Findings): void {
  const folded = fold(text)
  const skeleton = latinSkeleton(folded)
  apply(allRules, folded, findings)
  if (skeleton !== folded) apply(allRules, skeleton, findings, { disguised: true, quotes: true })
  for (const reading of rewritten(skeleton))
    apply(proseAndShell, reading, findings, { disguised: true, quotes: true })
  for (const reading of unescaped(text))
    apply(allRules, fold(reading), findings, { disguised: true, quotes: true })
  for (const reading of decoded(text))
    apply(allRules, fold(reading), findings, { disguised: true, quotes: false })
  apply(spelledOutRules, spelledOut(skeleton), findings, { disguised: true, quotes: false })
  apply(allRules, fold(hidden), findings, { disguised: true, quotes: false })
}

/** A rule that matches only once a disguise is undone blocks: nobody disguises text by accident. */
function apply(
  rules: readonly Rule[],
  text: string,
  findings: Findings,
  reading = { disguised: false, quotes: true },
): void {
  if (text === '') return
  const view = createView(text, reading)
  for (const rule of rules) {
    const known = findings.get(rule.reason)
    if (known === 'blocked' || known === rule.status) continue
    if (matches(rule, view)) findings.set(rule.reason, reading.disguised ? 'blocked' : rule.status)
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
