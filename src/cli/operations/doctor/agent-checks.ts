import { join } from 'node:path'
import { cancelledByCaller } from '../../../contract/agents/cancelled-run.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { label } from '../../../lib/text/one-line.js'
import { programs } from '../../agents/tasks/harness-program.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import { plainLine } from '../../terminal/text.js'
import type { DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

/** Used share of the inboxes' capacity that triggers a warning. */
const nearlyFull = 0.9

/** Maximum number of faults listed by name; the others are counted. */
const mostNamed = 5

type Plugin = Reply<'GET /api/plugins'>['plugins'][number]

type Task = Reply<'GET /api/tasks'>['tasks'][number]

/** Consecutive failures that indicate a persistent problem. */
const failuresInRow = 3
/** Maximum number of tasks whose runs are checked. */
const mostLookedAt = 20

/** Checks enabled tasks that cannot run or fail repeatedly. @param env contains the PATH of this terminal. */
export function checkTasks(
  context: DoctorContext,
  _status: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  return ifAllowed(
    context.call('GET /api/tasks').then(({ tasks }) => outcomeOf(tasks, context, env)),
    one => one,
  )
}

async function outcomeOf(
  tasks: readonly Task[],
  { call, remote, platform }: DoctorContext,
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  const enabled = tasks.filter(task => task.enabled)
  const lost = enabled.find(
    ({ harness }) => !remote && findProgram({ env, platform }, programs[harness].program) === undefined,
  )
  if (lost) {
    const { program } = programs[lost.harness]
    return {
      severity: 'warning',
      evidence: `${program} is not on the PATH of this terminal; task "${plainLine(lost.name)}" needs it`,
      fix: `install ${program}, or memory tasks disable ${lost.id}`,
    }
  }
  const suspects = enabled.filter(
    ({ lastRunStatus }) => lastRunStatus === 'failed' || lastRunStatus === 'timeout',
  )
  for (const { id, name } of suspects.slice(0, mostLookedAt)) {
    const { runs } = await call('GET /api/tasks/:id/runs', {
      params: { id },
      query: { limit: failuresInRow },
    })
    // A run that the user cancelled is not a failure.
    const failed = runs.filter(
      ({ status, error }) => status === 'timeout' || (status === 'failed' && error !== cancelledByCaller),
    )
    if (failed.length < failuresInRow) continue
    return {
      severity: 'warning',
      evidence: `"${plainLine(name)}" failed its last ${failuresInRow} runs: ${plainLine(failed[0]?.error ?? 'no error message')}`,
      fix: `memory tasks logs ${id}`,
    }
  }
  return { severity: 'ok', evidence: `${countOf(tasks.length, 'task')}, ${enabled.length} enabled` }
}

/** Checks for plugins that malfunction or wait for a decision. */
export async function checkPlugins({ call }: DoctorContext): Promise<Outcome> {
  const { plugins } = await call('GET /api/plugins')
  const broken = plugins.filter(({ state }) => state === 'blocked' || state === 'degraded')
  const [first] = broken
  if (first) {
    const evidence = broken.map(({ id, state, reason }) => `${id} is ${state}: ${reason}`).join('; ')
    return { severity: 'warning', evidence, fix: remedyFor(first) }
  }
  const waiting = plugins.find(
    ({ enabled, pendingCapabilities }) => enabled && pendingCapabilities.length > 0,
  )
  if (waiting) {
    const evidence = `${waiting.id} waits for your permission: ${waiting.pendingCapabilities.join(', ')}`
    return { severity: 'info', evidence, fix: `memory plugins show ${waiting.id}` }
  }
  return { severity: 'ok', evidence: plugins.map(({ id, state }) => `${id} is ${state}`).join(', ') }
}

/** A bundled plugin always has a valid manifest; if it is blocked, it waits for a new decision. */
function remedyFor({ id, bundled, state }: Plugin): string {
  if (bundled && state === 'blocked') return `memory plugins enable ${id} (or disable ${id})`
  return `memory plugins show ${id}`
}

/**
 * Checks for skills with a broken SKILL.md: agents omit such a skill or do not know when to use it (skills.md
 * 2). Folders that are not skills are reported as information.
 */
export async function checkSkills({ call, paths }: DoctorContext): Promise<Outcome> {
  const { skills, count, skipped } = await call('GET /api/skills')
  const broken = skills.filter(({ problems }) => problems.length > 0)
  if (broken.length > 0) {
    const [first] = broken
    return {
      severity: 'warning',
      evidence: named(
        broken.map(({ name, problems }) => `${label(name)}: ${label(problems.join('; '), 200)}`),
      ),
      fix: `edit ${join(first!.path, 'SKILL.md')}`,
    }
  }
  const installed = count === 0 ? 'none installed' : countOf(count, 'skill')
  if (skipped.length === 0) return { severity: 'ok', evidence: installed }
  const folders = named(skipped.map(({ name, reason }) => `${label(name)}: ${reason}`))
  return {
    severity: 'info',
    evidence: `${installed}; folders in ${paths.skills} that are not skills: ${folders}`,
  }
}

function named(faults: readonly string[]): string {
  const more = faults.length - mostNamed
  return [...faults.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/**
 * Checks the inboxes. A full inbox drops acknowledged messages for a new one, and rejects it if all are
 * unread; then an agent does not read its messages.
 */
export async function checkMessages({ call }: DoctorContext): Promise<Outcome> {
  const { capacity } = await call('GET /api/cross-agent/messages', { query: { limit: 1 } })
  const { live, limit } = capacity
  const evidence = `${live} of ${limit} messages stored`
  if (live < limit * nearlyFull) return { severity: 'ok', evidence }
  return {
    severity: 'warning',
    evidence: `${evidence}: when full, new messages are refused until some are acknowledged or expire`,
    fix: 'acknowledge messages (memory messages inbox --agent NAME, then memory messages ack ID); they expire after seven days',
  }
}
