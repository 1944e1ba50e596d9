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

/** Share of all that the inboxes take from which on they are nearly full. */
const nearlyFull = 0.9

/** Faults that are named; the rest is counted. */
const mostNamed = 5

type Plugin = Reply<'GET /api/plugins'>['plugins'][number]

type Task = Reply<'GET /api/tasks'>['tasks'][number]

/** So many runs in a row that did not complete are no accident. */
const failuresInRow = 3
/** Tasks whose runs are looked at. */
const mostLookedAt = 20

/** Tasks that are switched on and cannot run, or have failed for long. @param env has the PATH of this terminal. */
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
      evidence: `${program} is not on the PATH of this terminal: "${plainLine(lost.name)}" needs it`,
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
    // What a person ended is no fault of the task.
    const failed = runs.filter(
      ({ status, error }) => status === 'timeout' || (status === 'failed' && error !== cancelledByCaller),
    )
    if (failed.length < failuresInRow) continue
    return {
      severity: 'warning',
      evidence: `"${plainLine(name)}" failed its last ${failuresInRow} runs: ${plainLine(failed[0]?.error ?? 'without a word')}`,
      fix: `memory tasks logs ${id}`,
    }
  }
  return { severity: 'ok', evidence: `${countOf(tasks.length, 'task')}, ${enabled.length} switched on` }
}

/** Plugins that do not do what they should, and those that wait for a decision. */
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
    const evidence = `${waiting.id} was not granted ${waiting.pendingCapabilities.join(', ')}`
    return { severity: 'info', evidence, fix: `memory plugins show ${waiting.id}` }
  }
  return { severity: 'ok', evidence: plugins.map(({ id, state }) => `${id} is ${state}`).join(', ') }
}

/** A plugin that came with the daemon has a sound manifest: it is blocked until somebody decides on it again. */
function remedyFor({ id, bundled, state }: Plugin): string {
  if (bundled && state === 'blocked') return `memory plugins enable ${id} (or disable ${id})`
  return `memory plugins show ${id}`
}

/**
 * Skills whose SKILL.md is broken: agents leave such a skill out, or do not know when to use it (skills.md 2). Folders
 * that are no skill at all are worth knowing of.
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
    evidence: `${installed}; no skill in ${paths.skills}: ${folders}`,
  }
}

function named(faults: readonly string[]): string {
  const more = faults.length - mostNamed
  return [...faults.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/**
 * Full inboxes drop what was acknowledged for a new message, and refuse that where all is unread: somebody does not read
 * theirs.
 */
export async function checkMessages({ call }: DoctorContext): Promise<Outcome> {
  const { capacity } = await call('GET /api/cross-agent/messages', { query: { limit: 1 } })
  const { live, limit } = capacity
  const evidence = `${live} of ${limit} messages wait or are kept`
  if (live < limit * nearlyFull) return { severity: 'ok', evidence }
  return {
    severity: 'warning',
    evidence: `${evidence}: once they are full further ones are refused, unless some were acknowledged, which make room`,
    fix: 'memory messages inbox --agent NAME shows who gets so many; memory messages ack ID marks one as read; they expire after seven days',
  }
}
