import type { AcpPermissions, Task, TaskRun, TaskRunSummary } from '../../../contract/agents/tasks.js'
import { type AppError, notFound } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import type { TaskRow, TaskRunRow } from '../../../store/tables/agents/tasks.js'
import type { Tables } from '../../../store/tables/tables.js'

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    name: row.name,
    prompt: row.prompt,
    cronExpression: row.cron_expression,
    harness: row.harness as Task['harness'],
    workingDirectory: row.working_directory,
    skill: skillOf(row),
    acp: acpOf(row),
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastRunAt: row.last_run_at,
    nextRunAt: row.next_run_at,
    lastRunStatus: row.last_run_status as Task['lastRunStatus'],
  }
}

export function skillOf(row: Pick<TaskRow, 'skill_name' | 'skill_mode'>): Task['skill'] {
  if (row.skill_name === null) return null
  return { name: row.skill_name, mode: row.skill_mode === 'slash' ? 'slash' : 'inject' }
}

/** Returns the agent of a task over ACP; null for tasks of other harnesses. */
export function acpOf(row: Pick<TaskRow, 'acp_command' | 'acp_permissions'>): Task['acp'] {
  if (row.acp_command === null) return null
  return { command: row.acp_command, permissions: (row.acp_permissions ?? 'all') as AcpPermissions }
}

export function toRun(row: TaskRunRow): TaskRun {
  return {
    id: row.id,
    taskId: row.task_id,
    trigger: row.trigger_kind as TaskRun['trigger'],
    status: row.status as TaskRun['status'],
    exitCode: row.exit_code,
    output: row.output,
    outputTruncated: row.output_truncated === 1,
    error: row.error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
  }
}

/** Converts a run to its API form without the output. */
export function toRunSummary(row: TaskRunRow): TaskRunSummary {
  const { output: _output, outputTruncated: _truncated, ...rest } = toRun(row)
  return rest
}

/** @throws AppError `not_found` */
export async function requireTask({ tasks }: Pick<Tables, 'tasks'>, id: string): Promise<TaskRow> {
  const row = await tasks.find(id)
  if (row) return row
  throw taskNotFound(id)
}

export function taskNotFound(id: string): AppError {
  return notFound(`task ${quoted(id)} not found`, 'list them with memory tasks list')
}
