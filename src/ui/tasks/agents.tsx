import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useFollowed, useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/projects.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Check, Field, Select } from '../parts/fields.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showMessage } from '../parts/toast.js'
import { Command, Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

const columns: readonly Column<Agent>[] = [
  { title: 'Agent', width: 'minmax(7rem, 1fr)', cell: ({ name }) => name },
  { title: 'Also reads', width: 'minmax(9rem, 1fr)', cell: readPolicyText },
  { title: 'Group', width: '10rem', wide: true, cell: ({ policy_group: group }) => group ?? '' },
  { title: 'Created', width: '10rem', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
]

type Counts = NonNullable<Reply<'GET /api/agents/:name'>['counts']>
type Policy = Agent['read_policy']

const policies: Readonly<Record<Policy, string>> = {
  isolated: 'Nothing else',
  shared: 'Memories shared by all agents',
  group: 'Memories shared in its group',
}

interface AgentDialogProps {
  agent: Agent
  onClose: () => void
}

type Agent = Reply<'GET /api/agents'>['agents'][number]

/** The agents, with the active ones. */
export function Agents() {
  const [open, setOpen] = useState<Agent>()
  const [isAdding, setAdding] = useState(false)
  const loaded = useLoaded(signal => call('GET /api/agents', {}, { signal }), [changes.value])
  const agents = loaded.value?.agents
  return (
    <>
      <Presence />
      <section class="list-below" aria-label="All agents">
        <div class="head-line">
          <h2>All agents</h2>
          {may('remember') && (
            <button type="button" onClick={() => setAdding(true)}>
              Add an agent…
            </button>
          )}
        </div>
        {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
        {!agents && !loaded.error && <Loading />}
        {agents?.length === 0 && (
          <p class="dim">
            No agents yet. They appear here once they save a memory. Connect one with{' '}
            <Command text="memory connect" />.
          </p>
        )}
        {agents && agents.length > 0 && (
          <VirtualTable
            label="Agents"
            columns={columns}
            count={agents.length}
            rowAt={position => agents[position]}
            keyOf={({ id }) => id}
            onOpen={setOpen}
          />
        )}
      </section>
      {open && <AgentDialog agent={open} onClose={() => setOpen(undefined)} />}
      {isAdding && <NewAgent onClose={() => setAdding(false)} />}
    </>
  )
}

const shown = 50

/** Live sessions of every visible agent. */
function Presence() {
  const nameOf = useProjectNames()
  const loaded = useFollowed(
    signal =>
      call('GET /api/cross-agent/presence', { query: { include_self: true, limit: shown } }, { signal }),
    [],
    () => false,
  )
  const sessions = loaded.value?.sessions
  return (
    <section class="card" aria-label="Active">
      <h2>Active</h2>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {sessions?.length === 0 && (
        <p class="dim">
          No active sessions. Connect a coding agent with <Command text="memory connect" />.
        </p>
      )}
      {sessions && sessions.length > 0 && (
        <ul class="plain-list lined presence">
          {sessions.map(({ key, agentId, harness, project, seenAt }) => (
            <li key={`${agentId} ${key}`} class="line">
              <a href={addressOf('sessions', [key], { agent: agentId })}>{agentId}</a>
              <span>{labelOf('harness', harness)}</span>
              <span class="dim words">
                {nameOf(project) || 'no project'}, seen <Time at={seenAt} />
              </span>
              <a href={addressOf('tasks', ['messages'], { agent: agentId })}>Messages</a>
            </li>
          ))}
        </ul>
      )}
      {sessions?.length === shown && <p class="dim">Showing the {shown} most recent.</p>}
    </section>
  )
}

/** One agent: its data, its read policy and its removal. */
function AgentDialog({ agent, onClose }: AgentDialogProps) {
  const [asked, setAsked] = useState<'edit' | 'remove'>()
  const loaded = useLoaded(
    signal =>
      call('GET /api/agents/:name', { params: { name: agent.name }, query: { counts: true } }, { signal }),
    [agent.name],
  )
  const counts = loaded.value?.counts
  if (asked === 'edit') return <ChangeAgent agent={agent} onClose={onClose} />
  if (asked === 'remove' && counts) return <RemoveAgent agent={agent} counts={counts} onClose={onClose} />
  return (
    <Dialog title={agent.name} onClose={onClose}>
      <div class="stack">
        {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
        <dl class="facts">
          <Fact title="Also reads">{readPolicyText(agent)}</Fact>
          <Fact title="Group">{agent.policy_group ?? 'none'}</Fact>
          <Fact title="Created">
            <Time at={agent.created_at} />
          </Fact>
          {counts && <Fact title="Data">{dataCounts(counts).join(', ') || 'none'}</Fact>}
        </dl>
        <p class="line">
          <a href={addressOf('memories', [], { agent: agent.name })} onClick={onClose}>
            Memories
          </a>
          {may('remember') && (
            <a href={addressOf('tasks', ['messages'], { agent: agent.name })} onClick={onClose}>
              Messages
            </a>
          )}
        </p>
        {may('admin') && (
          <footer>
            <button type="button" class="plain" disabled={!counts} onClick={() => setAsked('remove')}>
              Remove…
            </button>
            <button type="button" onClick={() => setAsked('edit')}>
              Edit…
            </button>
          </footer>
        )}
      </div>
    </Dialog>
  )
}

/** Lists the counts of an agent's data in words; zeros are skipped. */
function dataCounts(counts: Counts): string[] {
  const { memories, archived, sessions, transcripts, summaries, messages, entities, documents, sources } =
    counts
  const kinds: [number, string, string?][] = [
    [memories, 'memory', 'memories'],
    [archived, 'archived memory', 'archived memories'],
    [sessions, 'session'],
    [transcripts, 'conversation'],
    [summaries, 'summary', 'summaries'],
    [messages, 'message'],
    [entities, 'entity', 'entities'],
    [documents, 'document'],
    [sources, 'source'],
  ]
  return kinds.filter(([count]) => count > 0).map(([count, one, many]) => countOf(count, one, many))
}

function ChangeAgent({ agent, onClose }: AgentDialogProps) {
  const [policy, setPolicy] = useState(agent.read_policy)
  const [group, setGroup] = useState(agent.policy_group ?? '')
  const act = async () => {
    const body = { read_policy: policy, policy_group: group.trim() || null }
    await call('PATCH /api/agents/:name', { params: { name: agent.name }, body })
    changes.value++
    showMessage(`Saved. It applies from the next request of ${agent.name}.`)
  }
  return (
    <Confirm title={`Read policy of ${agent.name}`} deed="Save" act={act} onClose={onClose} isMild>
      <PolicyFields {...{ policy, setPolicy, group, setGroup }} />
    </Confirm>
  )
}

interface PolicyFieldsProps {
  policy: Policy
  setPolicy: (policy: Policy) => void
  group: string
  setGroup: (group: string) => void
}

function PolicyFields({ policy, setPolicy, group, setGroup }: PolicyFieldsProps) {
  return (
    <div class="stack">
      <Select label="Also reads" value={policy} options={policies} onChoose={setPolicy} />
      <Field
        label="Group"
        value={group}
        onInput={setGroup}
        required={policy === 'group'}
        hint="Agents of a group read the memories that the others share."
      />
    </div>
  )
}

/** Adds an agent before its first session. */
function NewAgent({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [policy, setPolicy] = useState<Policy>('isolated')
  const [group, setGroup] = useState('')
  const act = async () => {
    const body = { name: name.trim(), read_policy: policy, policy_group: group.trim() || null }
    await call('POST /api/agents', { body })
    changes.value++
    showMessage(`${name.trim()} added`)
  }
  return (
    <Confirm title="Add an agent" deed="Add" act={act} onClose={onClose} isReady={name.trim() !== ''} isMild>
      <div class="stack">
        <Field label="Name" value={name} onInput={setName} required />
        <PolicyFields {...{ policy, setPolicy, group, setGroup }} />
      </div>
    </Confirm>
  )
}

function RemoveAgent({ agent: { name }, counts, onClose }: AgentDialogProps & { counts: Counts }) {
  const [purge, setPurge] = useState(false)
  const act = async () => {
    const { memories } = await call('DELETE /api/agents/:name', { params: { name }, query: { purge } })
    changes.value++
    showMessage(
      `${name} removed; ${countOf(memories, 'memory', 'memories')} ${purge ? 'deleted' : 'archived'}`,
    )
  }
  return (
    <Confirm
      key={String(purge)}
      title={`Remove ${name}?`}
      deed={purge ? 'Delete permanently' : 'Remove'}
      act={act}
      onClose={onClose}
      {...(purge && { typed: name })}
    >
      <div class="stack">
        <p>Data: {dataCounts(counts).join(', ') || 'none'}</p>
        {counts.shared > 0 && (
          <p>
            {countOf(counts.shared, 'memory', 'memories')} shared with other agents{' '}
            {counts.shared === 1 ? 'is' : 'are'} kept.
          </p>
        )}
        <p class={purge ? 'bad' : undefined}>
          {purge
            ? 'All data is deleted permanently, including conversations and files.'
            : 'Its memories are archived and no longer recalled.'}
        </p>
        <Check checked={purge} onChange={setPurge}>
          Delete all data permanently
        </Check>
      </div>
    </Confirm>
  )
}

/** Describes an agent's read policy. */
function readPolicyText({ read_policy: policy, policy_group: group }: Agent): string {
  if (policy === 'isolated') return 'nothing else'
  return policy === 'shared' ? 'memories shared by all agents' : `memories shared in ${group ?? 'its group'}`
}
