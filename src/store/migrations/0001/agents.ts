/** Agents, the messages between them, their uses of skills, and the tasks that start them by a schedule. */
export const agents = `
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  read_policy TEXT NOT NULL,
  policy_group TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  removal TEXT
);
CREATE INDEX agents_group ON agents (policy_group) WHERE policy_group IS NOT NULL;

CREATE TABLE agent_messages (
  id TEXT PRIMARY KEY,
  from_agent_id TEXT NOT NULL,
  from_session_key TEXT,
  to_agent_id TEXT,
  to_session_key TEXT,
  broadcast INTEGER NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  project TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX agent_messages_target ON agent_messages (to_agent_id, created_at) WHERE to_agent_id IS NOT NULL;
CREATE INDEX agent_messages_session ON agent_messages (to_session_key, created_at) WHERE to_session_key IS NOT NULL;
CREATE INDEX agent_messages_broadcast ON agent_messages (created_at) WHERE broadcast = 1;
CREATE INDEX agent_messages_age ON agent_messages (expires_at);
CREATE INDEX agent_messages_sender ON agent_messages (from_agent_id, created_at);

CREATE TABLE agent_message_acks (
  message_id TEXT NOT NULL REFERENCES agent_messages (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  acknowledged_at TEXT NOT NULL,
  PRIMARY KEY (message_id, agent_id)
) WITHOUT ROWID;
CREATE INDEX agent_message_acks_agent ON agent_message_acks (agent_id);

-- Messages that go to agents of other servers.
CREATE TABLE agent_message_relays (
  message_id TEXT PRIMARY KEY REFERENCES agent_messages (id) ON DELETE CASCADE,
  base_url TEXT NOT NULL,
  target_agent_name TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  receipt_json TEXT,
  error TEXT,
  updated_at TEXT NOT NULL
);
CREATE INDEX agent_message_relays_open ON agent_message_relays (state) WHERE state IN ('pending', 'in_flight');

-- Counts and latencies of a window are answered from an index alone.
CREATE TABLE skill_uses (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  skill TEXT NOT NULL,
  success INTEGER NOT NULL,
  latency_ms REAL,
  source TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX skill_uses_counts ON skill_uses (agent_id, skill, at, success, latency_ms);
CREATE INDEX skill_uses_latency ON skill_uses (agent_id, latency_ms, at) WHERE latency_ms IS NOT NULL;
CREATE INDEX skill_uses_at ON skill_uses (at);

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

-- task_runs_open keeps a task from running twice at a time.
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
