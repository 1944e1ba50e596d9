import type { Message, RelayState } from '../../../contract/agents/messages.js'
import type { MessageRow, RelayRow } from '../../../store/tables/agents/messages.js'

const statusOf: Record<RelayState, Message['deliveryStatus']> = {
  pending: 'queued',
  in_flight: 'queued',
  indeterminate: 'indeterminate',
  delivered: 'delivered',
  failed: 'failed',
}

/** Converts a message to its API form. @param acknowledgedAt when the reader marked it as read. */
export function toMessage(
  row: MessageRow,
  relay: RelayRow | undefined,
  acknowledgedAt: string | null,
): Message {
  const state = relay?.state as RelayState | undefined
  return {
    id: row.id,
    fromAgentId: row.from_agent_id,
    fromSessionKey: row.from_session_key,
    toAgentId: row.to_agent_id,
    toSessionKey: row.to_session_key,
    broadcast: row.broadcast === 1,
    type: row.type as Message['type'],
    content: row.content,
    project: row.project,
    via: relay ? 'acp' : 'local',
    deliveryStatus: state ? statusOf[state] : 'delivered',
    ...(state && { deliveryState: state }),
    ...(relay && { relay: relayOf(relay) }),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acknowledgedAt,
  }
}

function relayOf({ base_url, target_agent_name, attempts, receipt_json, error }: RelayRow) {
  const receipt = receipt_json === null ? null : JSON.parse(receipt_json)
  return { baseUrl: base_url, targetAgentName: target_agent_name, attempts, receipt, error }
}
