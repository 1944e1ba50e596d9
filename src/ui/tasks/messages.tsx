import { useState } from 'preact/hooks'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/followed.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { Check, Field, Select } from '../parts/fields/field.js'
import { Loading } from '../parts/loading.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import { showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'
import { type Message, MessageDialog, typeNames } from './message-dialog.js'

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
      <div class="line">
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
        <button type="button" onClick={() => setSending(true)}>
          Send…
        </button>
      </div>
      {paged.error && <Failure error={paged.error} retry={paged.reload} />}
      {paged.count === undefined && !paged.error && <Loading />}
      {paged.count === 0 && (
        <Empty title="No messages">
          <p>Agents leave each other notes and questions. Use Send… to write one yourself.</p>
        </Empty>
      )}
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
