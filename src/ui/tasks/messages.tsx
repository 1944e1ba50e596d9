import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useFollowed, useLoaded } from '../api/loaded.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Check, Field, Select } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Fact, LongText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'

interface MessageDialogProps {
  message: Message
  agent: string | undefined
  onClose: () => void
}

/** One message with its delivery. */
function MessageDialog({ message, agent, onClose }: MessageDialogProps) {
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

type Message = Reply<'GET /api/cross-agent/messages'>['items'][number]

const typeNames = {
  info: 'information',
  question: 'question',
  assist_request: 'help request',
  decision_update: 'decision',
} as const

const columns: readonly Column<Message>[] = [
  {
    title: 'Message',
    width: 'minmax(0, 1fr)',
    cell: ({ content, acknowledgedAt }) => (acknowledgedAt ? content : <strong>{content}</strong>),
  },
  { title: 'From', width: '8rem', cell: ({ fromAgentId: from }) => from },
  {
    title: 'To',
    width: '8rem',
    wide: true,
    cell: ({ broadcast, toAgentId, toSessionKey }) => (broadcast ? 'all' : (toAgentId ?? toSessionKey)),
  },
  {
    title: 'Kind',
    width: '8rem',
    wide: true,
    cell: ({ type }) => <span class="dim">{typeNames[type]}</span>,
  },
  {
    title: 'State',
    width: '8rem',
    wide: true,
    cell: ({ deliveryStatus: status }) => (
      <span class={status === 'failed' ? 'bad' : 'dim'}>{labelOf('deliveryState', status)}</span>
    ),
  },
  { title: 'Sent', width: '10rem', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Received and sent messages of an agent. */
export function Messages({ agent }: { agent: string | undefined }) {
  const [unread, setUnread] = useState(false)
  const [sent, setSent] = useState(true)
  const [isSending, setSending] = useState(false)
  const [open, setOpen] = useState<Message>()
  const filter = { agentId: agent, unread_only: unread, include_sent: sent }
  const newest = useFollowed(
    signal => call('GET /api/cross-agent/messages', { query: { ...filter, limit: 1 } }, { signal }),
    [agent, unread, sent, changes.value],
    () => false,
  )
  const paged = usePaged(
    async (page, signal) => {
      const reply = await call('GET /api/cross-agent/messages', { query: { ...filter, ...page } }, { signal })
      return { rows: reply.items, total: reply.total }
    },
    [agent, unread, sent, changes.value, newest.value?.total, newest.value?.items[0]?.id],
  )
  return (
    <>
      <div class="line filters">
        <AgentSelect agent={agent} />
        <Check checked={unread} onChange={setUnread}>
          Unread only
        </Check>
        <Check checked={sent} onChange={setSent}>
          Include sent
        </Check>
        <span class="dim" role="status">
          {newest.value && `${newest.value.unreadCount.toLocaleString()} unread`}
        </span>
        {paged.count !== 0 && (
          <button type="button" onClick={() => setSending(true)}>
            Send…
          </button>
        )}
      </div>
      {paged.error && <Failure error={paged.error} retry={paged.reload} />}
      {paged.count === undefined && !paged.error && <Loading />}
      {paged.count === 0 && <NoMessages onWrite={() => setSending(true)} />}
      {paged.count !== undefined && paged.count > 0 && (
        <VirtualTable
          label="Messages"
          columns={columns}
          count={paged.count}
          rowAt={paged.rowAt}
          keyOf={({ id }) => id}
          onNeed={paged.need}
          onOpen={setOpen}
        />
      )}
      {open && <MessageDialog message={open} agent={agent} onClose={() => setOpen(undefined)} />}
      {isSending && <SendMessage from={agent} onClose={() => setSending(false)} />}
    </>
  )
}

/** Selects the agent of the inbox. */
function AgentSelect({ agent }: { agent: string | undefined }) {
  const roster = useLoaded(signal => call('GET /api/agents', {}, { signal }), [])
  const names = roster.value?.agents.map(({ name }) => name) ?? []
  const all = agent === undefined || names.includes(agent) ? names : [agent, ...names]
  const options = Object.fromEntries([['', 'yours'], ...all.map(name => [name, name])])
  return (
    <Select
      label="Inbox"
      value={agent ?? ''}
      options={options}
      onChoose={name => replace(addressOf('tasks', ['messages'], { agent: name }))}
    />
  )
}

const targets = { agent: 'An agent, at its next session', session: 'An active session', all: 'All agents' }

/** Sends a message to an agent, a session or all. */
function SendMessage({ from, onClose }: { from: string | undefined; onClose: () => void }) {
  const [target, setTarget] = useState<keyof typeof targets>('agent')
  const [to, setTo] = useState('')
  const [type, setType] = useState<keyof typeof typeNames>('info')
  const [content, setContent] = useState('')
  const roster = useLoaded(signal => call('GET /api/agents', {}, { signal }), [])
  const live = useLoaded(
    signal => call('GET /api/cross-agent/presence', { query: { include_self: true } }, { signal }),
    [],
  )
  const act = async () => {
    const body = {
      content,
      type,
      from_agent_id: from,
      ...(target === 'agent' && { to_agent_id: to.trim() }),
      ...(target === 'session' && { to_session_key: to.trim() }),
      ...(target === 'all' && { broadcast: true }),
    }
    await call('POST /api/cross-agent/messages', { body })
    changes.value++
    showMessage('Sent')
  }
  const choices =
    target === 'agent'
      ? roster.value?.agents.map(({ name }) => name)
      : live.value?.sessions.map(({ key }) => key)
  return (
    <Confirm
      title="Send a message"
      deed="Send"
      act={act}
      onClose={onClose}
      isReady={content.trim() !== '' && (target === 'all' || to.trim() !== '')}
      isMild
    >
      <div class="stack">
        <Select label="To" value={target} options={targets} onChoose={setTarget} />
        {target !== 'all' && (
          <Field
            label={target === 'agent' ? 'Agent' : 'Session'}
            value={to}
            onInput={setTo}
            choices={choices ?? []}
            required
          />
        )}
        <Select label="Kind" value={type} options={typeNames} onChoose={setType} />
        <Field label="Message" rows={5} value={content} onInput={setContent} required />
      </div>
    </Confirm>
  )
}

function NoMessages({ onWrite }: { onWrite: () => void }) {
  return (
    <Empty title="No messages">
      <p>Agents leave each other notes and questions, and you can write one.</p>
      <p>
        <button type="button" onClick={onWrite}>
          Write a message…
        </button>
      </p>
    </Empty>
  )
}
