import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/followed.js'
import { useLoaded } from '../api/loaded.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { Check, Select } from '../parts/field.js'
import { Loading } from '../parts/loading.js'
import { usePaged } from '../parts/paged.js'
import { Time } from '../parts/time.js'
import { type Column, VirtualTable } from '../parts/virtual-table.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'
import { MessageDialog } from './message-dialog.js'
import { type Message, typeNames } from './message-words.js'
import { SendMessage } from './send-message.js'

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
    cell: ({ deliveryStatus: status }) => <span class={status === 'failed' ? 'bad' : 'dim'}>{status}</span>,
  },
  { title: 'Sent', width: '10rem', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The inbox of an agent, and what it sent. */
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
        <Whose agent={agent} />
        <Check checked={unread} onChange={setUnread}>
          Unread only
        </Check>
        <Check checked={sent} onChange={setSent}>
          Also what it sent
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
        <Empty title="There are no messages">
          <p>Agents leave each other notes and questions; Send… does so for you.</p>
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

/** Whose inbox is looked at. */
function Whose({ agent }: { agent: string | undefined }) {
  const roster = useLoaded(signal => call('GET /api/agents', {}, { signal }), [])
  const names = roster.value?.agents.map(({ name }) => name) ?? []
  const all = agent === undefined || names.includes(agent) ? names : [agent, ...names]
  const options = Object.fromEntries([['', 'your own'], ...all.map(name => [name, name])])
  return (
    <Select
      label="Inbox"
      value={agent ?? ''}
      options={options}
      onChoose={name => replace(addressOf('tasks', ['messages'], { agent: name }))}
    />
  )
}
