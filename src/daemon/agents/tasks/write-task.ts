import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import {
  maxTasks,
  type NewTask,
  type Task,
  type TaskChange,
  type TaskHarness,
  type TaskSkill,
} from '../../../contract/agents/tasks.js'
import { AppError } from '../../../contract/ground/errors.js'
import { taskHarness } from '../../../contract/ground/wire-names.js'
import { quoted } from '../../../lib/text/clip.js'
import { cronFault } from '../../../lib/time/cron.js'
import type { TaskRow } from '../../../store/tables/agents/tasks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { requireSkill } from '../skills/skill-folder.js'
import { nextRunAt, zoneOf } from './schedule.js'
import { noTask, requireTask, toTask } from './task-record.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'paths'>

/**
 * Adds a task (tasks.md 4.8).
 * @throws AppError `validation_failed` for a schedule, folder or skill that there is not; `conflict` when there are too
 *   many tasks.
 */
export async function createTask(deps: Deps, body: NewTask): Promise<Task> {
  const { name, prompt, cronExpression, harness, enabled } = body
  const [workingDirectory, skill] = [body.workingDirectory ?? null, body.skill ?? null]
  await assertSound(deps, { cronExpression, harness, workingDirectory, skill })
  const now = deps.clock()
  const at = now.toISOString()
  const zone = zoneOf(deps)
  const row: TaskRow = {
    id: deps.newId(),
    name,
    prompt,
    cron_expression: cronExpression,
    harness,
    working_directory: workingDirectory,
    ...skillColumns(skill),
    enabled: enabled ? 1 : 0,
    zone,
    next_run_at: enabled ? nextRunAt(cronExpression, zone, now) : null,
    last_due_at: null,
    last_run_at: null,
    last_run_status: null,
    created_at: at,
    updated_at: at,
  }
  await deps.store.transaction(async ({ tasks }) => {
    if ((await tasks.countAll()) >= maxTasks)
      throw new AppError(
        'conflict',
        `there are ${maxTasks} tasks, which is all there may be; remove one first: memory tasks remove ID`,
      )
    await tasks.add(row)
  })
  return toTask(row)
}

/**
 * Changes a task; a field that is missing stays as it is. Another schedule, and a task that is switched on, begin anew
 * from now on: what came before is not caught up with (tasks.md#missed-times).
 * @throws AppError `not_found`, `validation_failed` as `createTask`.
 */
export async function changeTask(deps: Deps, id: string, change: TaskChange): Promise<Task> {
  const known = toTask(await requireTask(deps.store.tables, id))
  // A folder or skill that is gone meanwhile must not keep anybody from switching the task off.
  await assertSound(deps, merged(known, change), change)
  return deps.store.transaction(async ({ tasks }) => {
    const row = await tasks.find(id)
    if (!row) throw noTask(id)
    const task = merged(toTask(row), change)
    assertFits(task)
    const now = deps.clock()
    const isAnew = task.enabled !== (row.enabled === 1) || task.cronExpression !== row.cron_expression
    const zone = isAnew ? zoneOf(deps) : row.zone
    const next: TaskRow = {
      ...row,
      name: task.name,
      prompt: task.prompt,
      cron_expression: task.cronExpression,
      harness: task.harness,
      working_directory: task.workingDirectory,
      ...skillColumns(task.skill),
      enabled: task.enabled ? 1 : 0,
      zone,
      ...(isAnew && {
        next_run_at: task.enabled ? nextRunAt(task.cronExpression, zone, now) : null,
        last_due_at: null,
      }),
      updated_at: now.toISOString(),
    }
    await tasks.change(id, next)
    return toTask(next)
  })
}

type Checked = Pick<Task, 'cronExpression' | 'harness' | 'workingDirectory' | 'skill'>

/** @param changed what of it is new; all unless given. */
async function assertSound(
  deps: Pick<Deps, 'paths'>,
  task: Checked,
  changed: Partial<Record<keyof Checked, unknown>> = task,
): Promise<void> {
  assertFits(task)
  if (changed.cronExpression !== undefined) {
    const fault = cronFault(task.cronExpression)
    if (fault) throw invalid('cronExpression', `${quoted(task.cronExpression)} ${fault}`)
  }
  if (task.workingDirectory !== null && changed.workingDirectory !== undefined) {
    const fault = await folderFault(task.workingDirectory)
    if (fault) throw invalid('workingDirectory', `${quoted(task.workingDirectory)} ${fault}`)
  }
  if (task.skill !== null && changed.skill !== undefined)
    await requireSkill(deps, task.skill.name).catch(error => {
      throw error instanceof AppError ? invalid('skill', error.message) : error
    })
}

/** Why a task cannot run in a folder, as a sentence that goes on from its path; undefined when it can. */
export async function folderFault(path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return 'is no absolute path'
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error)) return found.isDirectory() ? undefined : 'is no folder'
  return found.code === 'ENOENT' ? 'is not there' : `cannot be read (${found.code})`
}

function assertFits({ harness, skill }: { harness: TaskHarness; skill: TaskSkill | null }): void {
  if (skill?.mode === 'slash' && harness !== taskHarness.claudeCode)
    throw invalid(
      'skill',
      `${taskHarness.claudeCode} alone calls a skill by a slash; with ${harness} use mode inject`,
    )
}

function merged(task: Task, change: TaskChange): Task {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return { ...task, ...given }
}

function skillColumns(skill: TaskSkill | null): Pick<TaskRow, 'skill_name' | 'skill_mode'> {
  return { skill_name: skill?.name ?? null, skill_mode: skill?.mode ?? null }
}

function invalid(path: string, message: string): AppError {
  return new AppError('validation_failed', `${path}: ${message}`, [{ path, message }])
}
