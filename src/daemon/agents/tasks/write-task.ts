import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import {
  maxTasks,
  type NewTask,
  type Task,
  type TaskAcp,
  type TaskChange,
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
import { requireTask, taskNotFound, toTask } from './task-record.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'paths'>

/**
 * Adds a task (tasks.md 4.8).
 * @throws AppError `validation_failed` for an invalid schedule or a missing folder or skill; `conflict` when
 * there are too many tasks.
 */
export async function createTask(deps: Deps, body: NewTask): Promise<Task> {
  const { name, prompt, cronExpression, harness, enabled } = body
  const { workingDirectory = null, skill = null, acp = null } = body
  await assertValid(deps, { cronExpression, harness, workingDirectory, skill, acp })
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
    ...acpColumns(acp),
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
        `at most ${maxTasks} tasks are allowed; remove one first: memory tasks remove ID`,
      )
    await tasks.add(row)
  })
  return toTask(row)
}

/**
 * Changes a task; a missing field keeps its value. A new schedule or an enabled task starts from now: earlier
 * times are not caught up (tasks.md#missed-times).
 * @throws AppError `not_found`, `validation_failed` as `createTask`.
 */
export async function changeTask(deps: Deps, id: string, change: TaskChange): Promise<Task> {
  const known = toTask(await requireTask(deps.store.tables, id))
  // Only changed fields are checked: a missing folder or skill must not prevent disabling the task.
  await assertValid(deps, mergeChange(known, change), change)
  return deps.store.transaction(async ({ tasks }) => {
    const row = await tasks.find(id)
    if (!row) throw taskNotFound(id)
    const task = mergeChange(toTask(row), change)
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
      ...acpColumns(task.acp),
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

type CheckedFields = Pick<Task, 'cronExpression' | 'harness' | 'workingDirectory' | 'skill' | 'acp'>

/** @param changed the new fields; all unless given. */
async function assertValid(
  deps: Pick<Deps, 'paths'>,
  task: CheckedFields,
  changed: Partial<Record<keyof CheckedFields, unknown>> = task,
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

/**
 * Explains why a task can't run in a folder, as a phrase that continues after its path; undefined when it
 * can.
 */
export async function folderFault(path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return 'is not an absolute path'
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error)) return found.isDirectory() ? undefined : 'is not a folder'
  return found.code === 'ENOENT' ? 'does not exist' : `cannot be read (${found.code})`
}

/** Skill and command must fit the harness. */
function assertFits({ harness, skill, acp }: Pick<Task, 'harness' | 'skill' | 'acp'>): void {
  if (harness === taskHarness.acp && acp === null)
    throw invalid(
      'acp',
      'harness acp needs the command of an agent, such as { "command": "gemini --experimental-acp" }',
    )
  if (harness !== taskHarness.acp && acp !== null)
    throw invalid('acp', `${harness} has its own command; only harness acp takes one`)
  if (skill?.mode === 'slash' && harness !== taskHarness.claudeCode)
    throw invalid(
      'skill',
      `only ${taskHarness.claudeCode} runs a skill as a slash command; with ${harness} use mode inject`,
    )
}

function mergeChange(task: Task, change: TaskChange): Task {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const merged: Task = { ...task, ...given }
  // Another harness needs no command any more.
  const keepsAcp = merged.harness === taskHarness.acp || change.acp
  return keepsAcp ? merged : { ...merged, acp: null }
}

function acpColumns(acp: TaskAcp | null): Pick<TaskRow, 'acp_command' | 'acp_permissions'> {
  return { acp_command: acp?.command ?? null, acp_permissions: acp?.permissions ?? null }
}

function skillColumns(skill: TaskSkill | null): Pick<TaskRow, 'skill_name' | 'skill_mode'> {
  return { skill_name: skill?.name ?? null, skill_mode: skill?.mode ?? null }
}

function invalid(path: string, message: string): AppError {
  return new AppError('validation_failed', `${path}: ${message}`, [{ path, message }])
}
