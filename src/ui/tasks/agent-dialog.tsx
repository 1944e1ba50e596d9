import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Check, Field, Select } from '../parts/fields.js'
import { Failure } from '../parts/placeholders.js'
import { Time } from '../parts/time.js'
import { showMessage } from '../parts/toast.js'
import { Fact } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

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

/** One agent: its data, its read policy and its removal. */
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
export function NewAgent({ onClose }: { onClose: () => void }) {
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

export type Agent = Reply<'GET /api/agents'>['agents'][number]

/** Describes an agent's read policy. */
export function readPolicyText({ read_policy: policy, policy_group: group }: Agent): string {
  if (policy === 'isolated') return 'nothing else'
  return policy === 'shared' ? 'memories shared by all agents' : `memories shared in ${group ?? 'its group'}`
}
