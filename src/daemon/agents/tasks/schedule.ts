import { nextTime } from '../../../lib/time/cron.js'
import { dayMs } from '../../../lib/time/time.js'
import type { DueTask, TaskRow } from '../../../store/tables/agents/tasks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'configuration'>

/** Later than this a time counts as missed. */
const onTimeMs = 60_000
/** What was missed longer ago is not caught up with. */
const catchUpMs = dayMs
/** A clock that is set back by less repeats nothing that was dealt with. */
const smallStepMs = 3_600_000
/** Tasks of one slice. */
const batchSize = 100

/** The time zone of schedules: of the settings, or the machine's (tasks.md#cron). */
export function zoneOf({ configuration }: Deps): string {
  return configuration().settings.tasks.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** When a schedule comes next after a time, ISO 8601; null when it never does. */
export function nextRunAt(expression: string, zone: string, after: Date): string | null {
  return nextTime(expression, zone, after)?.toISOString() ?? null
}

type DueDeps = Deps & Pick<Daemon, 'store' | 'clock' | 'newId' | 'log' | 'budget'>

/**
 * Has a run wait for each task whose time has come, and moves the task on: both in one transaction, so that no time is
 * run twice and none is lost (tasks.md#missed-times).
 * @param daemon who takes the runs in hand.
 */
export async function takeDue(deps: DueDeps, daemon: string, signal: AbortSignal): Promise<void> {
  const { store, clock, budget } = deps
  for (let due = await store.tables.tasks.due(clock().toISOString(), batchSize); due.length > 0; ) {
    for (const task of due) {
      if (signal.aborted) return
      await takeTime(deps, task, daemon)
      await budget.breathe()
    }
    due = due.length < batchSize ? [] : await store.tables.tasks.due(clock().toISOString(), batchSize)
  }
}

async function takeTime(deps: DueDeps, task: DueTask, daemon: string): Promise<void> {
  const { store, clock, newId, log } = deps
  const now = clock()
  const at = now.toISOString()
  const zone = zoneOf(deps)
  const moved = {
    next_run_at: nextRunAt(task.cron_expression, zone, now),
    zone,
    last_due_at: at,
  }
  const trigger = triggerOf(task, now)
  const added = await store.transaction(async ({ tasks, taskRuns }) => {
    if (!(await tasks.moveOn(task.id, task.next_run_at, moved)) || !trigger) return false
    const row = { id: newId(), task_id: task.id, trigger_kind: trigger, daemon, created_at: at }
    if (!(await taskRuns.addPending(row))) return false
    await tasks.noteRun(task.id, 'pending')
    return true
  })
  if (!added)
    log.info({ task: task.id }, 'a time of a task passed: it is still running, or was down for long')
}

/** Why a due task runs; undefined when its last time is too long ago. */
function triggerOf({ cron_expression, zone, next_run_at }: DueTask, now: Date): string | undefined {
  const due = Date.parse(next_run_at)
  if (now.getTime() - due <= onTimeMs) return 'schedule'
  const from = new Date(Math.max(due, now.getTime() - catchUpMs) - 1)
  const last = nextTime(cron_expression, zone, from)
  return last && last <= now ? 'catch-up' : undefined
}

/**
 * Reckons anew when tasks come next, where another time zone or a clock that was set back calls for it. What is due
 * already is left as it is.
 */
export async function realign(deps: DueDeps, signal: AbortSignal): Promise<void> {
  const { store, clock, budget } = deps
  const zone = zoneOf(deps)
  for (let after = '', isOver = false; !isOver && !signal.aborted; ) {
    const now = clock()
    const ahead = await store.tables.tasks.ahead(now.toISOString(), after, batchSize)
    for (const task of ahead) {
      const next = nextRunAt(task.cron_expression, zone, now)
      if (isStale(task, { zone, next, now }))
        await store.transaction(({ tasks }) =>
          tasks.moveOn(task.id, task.next_run_at, { next_run_at: next, zone }),
        )
      await budget.breathe()
    }
    isOver = ahead.length < batchSize
    after = ahead.at(-1)?.id ?? ''
  }
}

function isStale(
  task: DueTask & Pick<TaskRow, 'last_due_at'>,
  { zone, next, now }: { zone: string; next: string | null; now: Date },
): boolean {
  if (task.zone !== zone) return task.next_run_at !== next
  const dealtWith = task.last_due_at === null ? 0 : Date.parse(task.last_due_at) - now.getTime()
  const isSmallStep = dealtWith > 0 && dealtWith <= smallStepMs
  return next !== null && next < task.next_run_at && !isSmallStep
}
