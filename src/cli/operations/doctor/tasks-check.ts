import { cancelledByCaller } from '../../../contract/agents/cancelled-run.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { programs } from '../../agents/tasks/harness-program.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import { plainLine } from '../../terminal/text.js'
import type { DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

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
