import { isDeepStrictEqual } from 'node:util'
import { countOf } from '../../../lib/text/count-of.js'
import { canAsk, cancelled, confirmationRequired } from '../../consent/consent.js'
import { CliError } from '../../shell/cli-error.js'
import { exitCodes } from '../../shell/exit-codes.js'
import { renderError, toFailure } from '../../shell/failure.js'
import { colorsFor, print, printNote } from '../../terminal/output.js'
import { hintsText, type PlanReport, planSummary, planText, reportOf } from './connection-text.js'
import type { Harness } from './entries/harness.js'
import type { Machine } from './entries/machine.js'
import type { Plan } from './plan.js'

/** JSON output of connect and disconnect. */
export interface ConnectResult {
  /** False for a dry run, and if nothing had to change. */
  applied: boolean
  harnesses: PlanReport[]
  failures: { harness: string; error: string; code: string }[]
}

interface PlanRun {
  machine: Machine
  verb: 'connect' | 'disconnect'
  targets: readonly Harness[]
  plan: (harness: Harness) => Plan
  carryOut: (plan: Plan) => void
  flags: { yes: boolean; 'dry-run': boolean }
  isJson: boolean
  /** Additional notes about a plan. */
  hints?: (plan: Plan) => string[]
  /** An additional question to the user. */
  offer?: Offer | undefined
}

/** An optional extension of plans, offered only if it changes them. */
interface Offer {
  question: (titles: string) => string
  plan: (harness: Harness) => Plan
}

/**
 * Shows the changes, asks, and applies them per harness; a failure of one does not stop the others. A person
 * sees them in three lines each and can ask for the exact ones; otherwise the exact ones are shown.
 * @throws CliError of a single harness, `confirmation_required` or `cancelled`.
 */
export async function confirmAndApplyPlans(input: PlanRun): Promise<ConnectResult> {
  const { machine, verb, targets, flags, isJson } = input
  const failed = new Map<Harness, unknown>()
  const planned = targets.flatMap(harness => attempt(input, failed, harness, () => input.plan(harness)) ?? [])
  const isDry = flags['dry-run']
  const asks = !flags.yes && !isDry && canAsk(isJson)
  if (!isDry && !asks && !flags.yes && hasChanges(planned))
    throw confirmationRequired(['add --dry-run to preview the exact changes', `add --yes to ${verb}`])
  const show = asks ? planSummary : planText
  if (!isJson) for (const plan of planned) print(`${show(machine, plan, { verb, colors: colorsFor() })}\n`)
  const plans = asks ? await agreedPlans(input, planned) : planned
  const harnesses = plans.map(plan => {
    const report = reportOf(machine, plan)
    const ofHarness = verb === 'connect' ? report.hints : []
    return { ...report, hints: [...ofHarness, ...(input.hints?.(plan) ?? [])] }
  })
  const done = isDry
    ? []
    : plans.filter(plan => attempt(input, failed, plan.harness, () => settle(input, plan)))
  const failures = await Promise.all(
    [...failed].map(async ([{ name }, error]) => ({ harness: name, ...(await failureOf(error)) })),
  )
  if (!isJson) await printOutcome(input, { done, harnesses, failed })
  if (failures.length > 0) process.exitCode = exitCodes.refused.code
  return { applied: done.some(({ changes }) => changes.length > 0), harnesses, failures }
}

function hasChanges(plans: readonly Plan[]): boolean {
  return plans.some(({ changes }) => changes.length > 0)
}

/** Asks for the plans, then for their extension. @throws CliError `cancelled` for a no to the plans. */
async function agreedPlans(input: PlanRun, planned: readonly Plan[]): Promise<readonly Plan[]> {
  if (hasChanges(planned)) await confirm(input, planned)
  return input.offer ? withOffer(planned, input.offer) : planned
}

function settle({ carryOut }: PlanRun, plan: Plan): true {
  carryOut(plan)
  return true
}

/** @throws the error if there is only one harness. */
function attempt<T>(
  { targets }: PlanRun,
  failed: Map<Harness, unknown>,
  harness: Harness,
  act: () => T,
): T | undefined {
  try {
    return act()
  } catch (error) {
    if (targets.length === 1 || !(error instanceof CliError)) throw error
    failed.set(harness, error)
    return undefined
  }
}

/** Asks the additional question once for all plans, and returns the resulting plans. */
async function withOffer(plans: readonly Plan[], offer: Offer): Promise<readonly Plan[]> {
  const extendedPlans = new Map(plans.map(plan => [plan, offer.plan(plan.harness)]))
  const differing = plans.filter(plan => !isSameChange(plan, extendedPlans.get(plan)))
  if (differing.length === 0) return plans
  const question = offer.question(differing.map(({ harness }) => harness.title).join(', '))
  return (await ask({ question })) === 'yes'
    ? plans.map(plan => (differing.includes(plan) ? (extendedPlans.get(plan) ?? plan) : plan))
    : plans
}

/** Returns true if two plans result in the same files. */
export function isSameChange({ changes }: Plan, other: Plan | undefined): boolean {
  return isDeepStrictEqual(
    changes.map(({ path, after }) => [path, after]),
    other?.changes.map(({ path, after }) => [path, after]),
  )
}

/** Ink is loaded only here. */
async function ask(input: { question: string; details?: string }): Promise<'yes' | 'no' | 'details'> {
  const { confirmChange } = await import('../../tui/confirm-change.js')
  return confirmChange({ ...input, color: colorsFor().isColorSupported })
}

/** Shows the exact changes on request, and asks again. @throws CliError `cancelled` if the user declines. */
async function confirm({ machine, verb }: PlanRun, planned: readonly Plan[]): Promise<void> {
  const open = planned.filter(({ changes }) => changes.length > 0)
  const files = open.reduce((sum, { changes }) => sum + changes.length, 0)
  const titles = open.map(({ harness }) => harness.title).join(', ')
  const question = `Change ${countOf(files, 'file')} to ${verb} ${titles}?`
  let answer = await ask({ question, details: 'the diff' })
  while (answer === 'details') {
    const exactly = { verb, colors: colorsFor(), withSources: true }
    for (const plan of open) print(`\n${planText(machine, plan, exactly)}`)
    answer = await ask({ question, details: 'the diff' })
  }
  if (answer === 'no') throw cancelled()
}

async function printOutcome(
  { verb, flags }: PlanRun,
  outcome: { done: readonly Plan[]; harnesses: readonly PlanReport[]; failed: ReadonlyMap<Harness, unknown> },
): Promise<void> {
  const { done, harnesses, failed } = outcome
  const colors = colorsFor()
  for (const plan of done) {
    if (plan.changes.length === 0) continue
    print(`${colors.green('✓')} ${plan.harness.title} is ${verb}ed`)
    const { hints = [] } = harnesses.find(({ harness }) => harness === plan.harness.name) ?? {}
    if (hints.length > 0) printNote(hintsText(plan, hints, colorsFor(process.stderr)))
  }
  if (flags['dry-run']) printNote(colorsFor(process.stderr).dim('Nothing was changed.'))
  for (const error of failed.values()) printNote(renderError(await toFailure(error)))
}

async function failureOf(error: unknown): Promise<{ error: string; code: string }> {
  const { json } = await toFailure(error)
  return { error: json.error, code: json.code }
}
