/** Prompts that start harnesses by a schedule, and their runs; the database keeps a task from running twice at a time. */
export const tasks = `
CREATE TABLE scheduled_tasks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  prompt TEXT NOT NULL,
  cron_expression TEXT NOT NULL,
  harness TEXT NOT NULL,
  working_directory TEXT,
  skill_name TEXT,
  skill_mode TEXT,
  enabled INTEGER NOT NULL,
  zone TEXT NOT NULL,
  next_run_at TEXT,
  last_due_at TEXT,
  last_run_at TEXT,
  last_run_status TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX scheduled_tasks_next ON scheduled_tasks (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE TABLE task_runs (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES scheduled_tasks (id) ON DELETE CASCADE,
  trigger_kind TEXT NOT NULL,
  status TEXT NOT NULL,
  daemon TEXT NOT NULL,
  exit_code INTEGER,
  output TEXT NOT NULL,
  output_truncated INTEGER NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT
);
CREATE UNIQUE INDEX task_runs_open ON task_runs (task_id) WHERE status IN ('pending', 'running');
CREATE INDEX task_runs_pending ON task_runs (id) WHERE status = 'pending';
CREATE INDEX task_runs_task ON task_runs (task_id, id);
CREATE INDEX task_runs_completed ON task_runs (completed_at) WHERE completed_at IS NOT NULL;
`
