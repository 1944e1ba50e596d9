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

/** Tables of what agents write to each other. */
export interface AgentSchema {
  agent_messages: AgentMessagesTable
  agent_message_acks: AgentMessageAcksTable
  agent_message_relays: AgentMessageRelaysTable
}
