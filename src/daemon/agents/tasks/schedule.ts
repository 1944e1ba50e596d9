import { nextTime } from '../../../lib/time/cron.js'
import { dayMs, ownZone } from '../../../lib/time/time.js'
import type { DueTask, TaskRow } from '../../../store/tables/agents/tasks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'configuration'>

/** A run later than this counts as missed. */
const onTimeMs = 60_000
/** A run missed longer ago than this is not caught up. */
const catchUpMs = dayMs
/** When the clock is set back by less than this, handled times are not repeated. */
const smallStepMs = 3_600_000
/** Tasks per slice. */
const batchSize = 100

/** Returns the time zone of schedules: from the settings, or the machine's (tasks.md#cron). */
export function zoneOf({ configuration }: Deps): string {
  return configuration().settings.tasks.timezone ?? ownZone()
}

/** Returns the next time of a schedule after a given time, ISO 8601; null when there is none. */
export function nextRunAt(expression: string, zone: string, after: Date): string | null {
  return nextTime(expression, zone, after)?.toISOString() ?? null
}

type DueDeps = Deps & Pick<Daemon, 'store' | 'clock' | 'newId' | 'log' | 'budget'>

/**
 * Queues a run for each due task and sets the task's next time. Both happen in one transaction, so no time
 * runs twice and none is lost (tasks.md#missed-times).
 * @param daemon id of the daemon that owns the runs.
 */
export async function queueDueRuns(deps: DueDeps, daemon: string, signal: AbortSignal): Promise<void> {
  const { store, clock, budget } = deps
  for (let due = await store.tables.tasks.due(clock().toISOString(), batchSize); due.length > 0; ) {
    for (const task of due) {
      if (signal.aborted) return
      await queueRun(deps, task, daemon)
      await budget.breathe()
    }
    due = due.length < batchSize ? [] : await store.tables.tasks.due(clock().toISOString(), batchSize)
  }
}

async function queueRun(deps: DueDeps, task: DueTask, daemon: string): Promise<void> {
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
    log.info(
      { task: task.id },
      'scheduled run skipped: the task is still running, or the time was missed by more than a day',
    )
}

/** Returns why a due task runs; undefined when its last time is too long ago. */
function triggerOf({ cron_expression, zone, next_run_at }: DueTask, now: Date): string | undefined {
  const due = Date.parse(next_run_at)
  if (now.getTime() - due <= onTimeMs) return 'schedule'
  const from = new Date(Math.max(due, now.getTime() - catchUpMs) - 1)
  const last = nextTime(cron_expression, zone, from)
  return last && last <= now ? 'catch-up' : undefined
}

/**
 * Recomputes the next times after a change of time zone or a clock that was set back. Tasks already due are
 * left alone.
 */
export async function recomputeNextRuns(deps: DueDeps, signal: AbortSignal): Promise<void> {
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
  const handledAheadMs = task.last_due_at === null ? 0 : Date.parse(task.last_due_at) - now.getTime()
  const isSmallStep = handledAheadMs > 0 && handledAheadMs <= smallStepMs
  return next !== null && next < task.next_run_at && !isSmallStep
}
