/** A message from one agent to another (messages.md). */
export interface AgentMessagesTable {
  id: string
  from_agent_id: string
  from_session_key: string | null
  to_agent_id: string | null
  to_session_key: string | null
  broadcast: number
  type: string
  content: string
  project: string | null
  created_at: string
  expires_at: string
}

export interface AgentMessageRelaysTable {
  message_id: string
  base_url: string
  target_agent_name: string
  timeout_ms: number
  state: string
  attempts: number
  receipt_json: string | null
  error: string | null
  updated_at: string
}

export interface AgentMessageAcksTable {
  message_id: string
  agent_id: string
  acknowledged_at: string
}

/** Tables of messages between agents. */
export interface AgentSchema {
  agent_messages: AgentMessagesTable
  agent_message_acks: AgentMessageAcksTable
  agent_message_relays: AgentMessageRelaysTable
}

/** A prompt that is run in a harness on a schedule (tasks.md). */
export interface ScheduledTasksTable {
  id: string
  name: string
  prompt: string
  cron_expression: string
  harness: string
  working_directory: string | null
  skill_name: string | null
  skill_mode: string | null
  acp_command: string | null
  acp_permissions: string | null
  enabled: number
  /** The time zone used to compute `next_run_at`. */
  zone: string
  /** Null while it is disabled. */
  next_run_at: string | null
  /** The last scheduled time that was processed. */
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
  /** The daemon that runs it; open runs of other daemons have failed. */
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
