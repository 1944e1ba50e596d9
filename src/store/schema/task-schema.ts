/** A prompt that starts a harness by a schedule (tasks.md). */
export interface ScheduledTasksTable {
  id: string
  name: string
  prompt: string
  cron_expression: string
  harness: string
  working_directory: string | null
  skill_name: string | null
  skill_mode: string | null
  enabled: number
  /** The time zone that `next_run_at` was reckoned by. */
  zone: string
  /** Null while it is disabled. */
  next_run_at: string | null
  /** The time of its schedule that was dealt with last. */
  last_due_at: string | null
  last_run_at: string | null
  last_run_status: string | null
  created_at: string
  updated_at: string
}

/** One execution of a task. */
export interface TaskRunsTable {
  id: string
  task_id: string
  trigger_kind: string
  status: string
  /** The daemon that took it in hand: what another one left open has failed. */
  daemon: string
  exit_code: number | null
  output: string
  output_truncated: number
  error: string | null
  created_at: string
  started_at: string | null
  completed_at: string | null
}

export interface TaskSchema {
  scheduled_tasks: ScheduledTasksTable
  task_runs: TaskRunsTable
}
