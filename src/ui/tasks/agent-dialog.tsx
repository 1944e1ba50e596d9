import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Check, Field, Select } from '../parts/fields/field.js'
import { Time } from '../parts/time.js'
import { say } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'

type Counts = NonNullable<Reply<'GET /api/agents/:name'>['counts']>
type Policy = Agent['read_policy']

const policies: Readonly<Record<Policy, string>> = {
  isolated: 'Nothing of others',
  shared: 'What all agents share',
  group: 'What its group shares',
}

interface AgentDialogProps {
  agent: Agent
  onClose: () => void
}

/** One agent: what there is of it, what it may read, and its end. */
export function AgentDialog({ agent, onClose }: AgentDialogProps) {
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
          <Fact title="Reads">its own memories and {readsWhat(agent)}</Fact>
          <Fact title="Group">{agent.policy_group ?? 'none'}</Fact>
          <Fact title="Since">
            <Time at={agent.created_at} />
          </Fact>
          {counts && <Fact title="There is">{thingsOf(counts).join(', ') || 'nothing yet'}</Fact>}
        </dl>
        <p class="line">
          <a href={addressOf('memories', [], { agent: agent.name })} onClick={onClose}>
            Its memories
          </a>
          {may('remember') && (
            <a href={addressOf('tasks', ['messages'], { agent: agent.name })} onClick={onClose}>
              Its messages
            </a>
          )}
        </p>
        {may('admin') && (
          <footer>
            <button type="button" class="plain" disabled={!counts} onClick={() => setAsked('remove')}>
              Remove…
            </button>
            <button type="button" onClick={() => setAsked('edit')}>
              Change…
            </button>
          </footer>
        )}
      </div>
    </Dialog>
  )
}

/** What there is of an agent, in words; kinds that it has nothing of are left out. */
function thingsOf(counts: Counts): string[] {
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
    say(`${agent.name} is answered by it from its next request on`)
  }
  return (
    <Confirm title={`What ${agent.name} may read`} deed="Save" act={act} onClose={onClose} isMild>
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
      <Select label="Beside its own memories" value={policy} options={policies} onChoose={setPolicy} />
      <Field
        label="Group"
        value={group}
        onInput={setGroup}
        required={policy === 'group'}
        hint="Agents of a group see what each other shares."
      />
    </div>
  )
}

/** Adds an agent before it is first seen. */
export function NewAgent({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [policy, setPolicy] = useState<Policy>('isolated')
  const [group, setGroup] = useState('')
  const act = async () => {
    const body = { name: name.trim(), read_policy: policy, policy_group: group.trim() || null }
    await call('POST /api/agents', { body })
    changes.value++
    say(`${name.trim()} is in the roster`)
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
    say(`${name} is gone; ${countOf(memories, 'memory', 'memories')} ${purge ? 'deleted' : 'archived'}`)
  }
  return (
    <Confirm
      key={String(purge)}
      title={`Remove ${name}?`}
      deed={purge ? 'Delete for good' : 'Remove'}
      act={act}
      onClose={onClose}
      {...(purge && { typed: name })}
    >
      <div class="stack">
        <p>There is of it: {thingsOf(counts).join(', ') || 'nothing'}.</p>
        {counts.shared > 0 && (
          <p>
            {countOf(counts.shared, 'memory', 'memories')} that others hold too{' '}
            {counts.shared === 1 ? 'stays' : 'stay'} theirs.
          </p>
        )}
        <p class={purge ? 'bad' : undefined}>
          {purge
            ? 'All of it is deleted, conversations and files too, and can not be brought back.'
            : 'Its memories are archived: nobody recalls them any more.'}
        </p>
        <Check checked={purge} onChange={setPurge}>
          Delete all of it for good
        </Check>
      </div>
    </Confirm>
  )
}

export type Agent = Reply<'GET /api/agents'>['agents'][number]

/** What an agent reads beside its own memories. */
export function readsWhat({ read_policy: policy, policy_group: group }: Agent): string {
  if (policy === 'isolated') return 'nothing of others'
  return policy === 'shared' ? 'what all share' : `what ${group ?? 'its group'} shares`
}
