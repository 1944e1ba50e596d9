import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Dialog } from '../parts/dialog.js'
import { Fact } from '../parts/fact.js'
import { LongText } from '../parts/long-text.js'
import { runAndReport } from '../parts/run-and-report.js'
import { Time } from '../parts/time.js'

interface MessageDialogProps {
  message: Message
  agent: string | undefined
  onClose: () => void
}

/** One message with its delivery. */
export function MessageDialog({ message, agent, onClose }: MessageDialogProps) {
  const { id, fromAgentId, toAgentId, toSessionKey, broadcast, type, content, project, relay } = message
  const done = () => {
    changes.value++
    onClose()
  }
  const params = { messageId: id }
  const acknowledge = () =>
    runAndReport(
      () => call('POST /api/cross-agent/messages/:messageId/ack', { params, body: { agent_id: agent } }),
      'Marked as read',
      done,
    )
  const retry = () =>
    runAndReport(
      () => call('POST /api/cross-agent/messages/:messageId/retry', { params, body: { agent_id: agent } }),
      'Relaying again',
      done,
    )
  return (
    <Dialog title={`From ${fromAgentId}`} onClose={onClose}>
      <div class="stack">
        <LongText label="Message" text={content} />
        <dl class="facts">
          <Fact title="To">{broadcast ? 'all' : (toAgentId ?? toSessionKey)}</Fact>
          <Fact title="Kind">{typeNames[type]}</Fact>
          {project && <Fact title="Project">{project}</Fact>}
          <Fact title="Sent">
            <Time at={message.createdAt} />, expires <Time at={message.expiresAt} />
          </Fact>
          <Fact title="Read">
            <Time at={message.acknowledgedAt} />
          </Fact>
          {relay && (
            <Fact title="Relayed">
              to {relay.targetAgentName} at {relay.baseUrl}:{' '}
              {labelOf('deliveryState', message.deliveryState ?? 'indeterminate')},{' '}
              {countOf(relay.attempts, 'attempt')}
              {relay.error && `, ${relay.error}`}
            </Fact>
          )}
        </dl>
        <footer>
          {message.deliveryStatus === 'indeterminate' && (
            <button type="button" class="plain" onClick={retry}>
              Relay again
            </button>
          )}
          {!message.acknowledgedAt && (
            <button type="button" onClick={acknowledge}>
              Mark as read
            </button>
          )}
        </footer>
      </div>
    </Dialog>
  )
}

export type Message = Reply<'GET /api/cross-agent/messages'>['items'][number]

export const typeNames = {
  info: 'information',
  question: 'question',
  assist_request: 'help request',
  decision_update: 'decision',
} as const
