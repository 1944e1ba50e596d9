import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { actorName, labelOf } from '../../lib/text/labels.js'
import { wordsOfName } from '../../lib/text/names.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { RunDreaming } from '../frame/run-dreaming.js'
import { Confirm } from '../parts/dialog.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'
import { ShortId, Time } from '../parts/values.js'

type Proposal = Reply<'GET /api/ontology/proposals'>['proposals'][number]
type Decision = 'apply' | 'reject'

/** Uncertain results of Dreaming that wait for a decision. */
export function Proposals() {
  const [deciding, setDeciding] = useState<{ proposal: Proposal; decision: Decision }>()
  const loaded = useLoaded(
    signal => call('GET /api/ontology/proposals', { query: { limit: 200 } }, { signal }),
    [],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  if (loaded.value.proposals.length === 0)
    return (
      <Empty title="No proposals to review">
        <p>Facts that Dreaming is unsure about appear here.</p>
        <p>
          <RunDreaming />
        </p>
      </Empty>
    )
  return (
    <>
      <ul class="bare stack reading">
        {loaded.value.proposals.map(proposal => (
          <li key={proposal.id} class="card">
            <ProposalFacts proposal={proposal} />
            {may('modify') && (
              <p class="line">
                <button type="button" onClick={() => setDeciding({ proposal, decision: 'apply' })}>
                  Apply…
                </button>
                <button
                  type="button"
                  class="plain"
                  onClick={() => setDeciding({ proposal, decision: 'reject' })}
                >
                  Reject…
                </button>
              </p>
            )}
          </li>
        ))}
      </ul>
      {loaded.value.hasMore && <p class="dim">Decide these to see more.</p>}
      {deciding && <Decide {...deciding} onClose={() => setDeciding(undefined)} onDone={loaded.reload} />}
    </>
  )
}

interface DecideProps {
  proposal: Proposal
  decision: Decision
  onClose: () => void
  onDone: () => void
}

function Decide({ proposal, decision, onClose, onDone }: DecideProps) {
  const isApply = decision === 'apply'
  const act = async (reason: string) => {
    const request = { params: { id: proposal.id }, body: { reason } }
    const { status } = isApply
      ? await call('POST /api/ontology/proposals/:id/apply', request)
      : await call('POST /api/ontology/proposals/:id/reject', request)
    showMessage(`Proposal ${status}`)
    onDone()
  }
  return (
    <Confirm
      title={isApply ? 'Apply this proposal?' : 'Reject this proposal?'}
      deed={isApply ? 'Apply' : 'Reject'}
      reason="decided on the web page"
      act={act}
      onClose={onClose}
      isMild={isApply}
    >
      <ProposalFacts proposal={proposal} />
    </Confirm>
  )
}

function ProposalFacts({ proposal }: { proposal: Proposal }) {
  const { id, operation, payload, names, reason, confidence, before, evidence, createdAt } = proposal
  return (
    <div class="stack">
      <span class="line">
        <span class="tag">{labelOf('operation', operation)}</span>
        <strong class="words">{subjectOf(payload, names)}</strong>
        {proposal.contradictionRisk && <span class="tag warn">may contradict</span>}
        {proposal.blockedReason && (
          <span class="tag bad">{labelOf('blockedReason', proposal.blockedReason)}</span>
        )}
      </span>
      <p class="words">{statementOf(payload, names)}</p>
      {before !== null && <p class="words dim">Current: {before}</p>}
      {evidence.map(({ quote, sourceId }) => (
        <q key={`${sourceId} ${quote}`} class="words">
          {quote ?? '(hidden)'}
        </q>
      ))}
      <p class="meta">
        <span>{Math.round(100 * confidence)} % confidence</span>
        <span>{reason}</span>
        <span>
          by {actorName(proposal.proposedBy)} <Time at={createdAt} />
        </span>
        <ShortId id={id} />
      </p>
    </div>
  )
}

type Payload = Proposal['payload']
type Names = Proposal['names']

/** The entity or memory of a proposal, which is its heading. */
function subjectOf(payload: Payload, names: Names): string {
  const { entity, from, name, memory } = payload
  return textOf(entity ?? from ?? name ?? memory ?? '', names)
}

/** A proposal as a sentence: `people › owner: Ines Duarte`, `depends on: Redis`. */
function statementOf(payload: Payload, names: Names): string {
  const { aspect, claim, value, relation, to, into, alias } = payload
  if (claim !== undefined && value !== undefined) {
    const place = [aspect, claim === value ? undefined : claim].filter(Boolean).join(' › ')
    return `${place}: ${textOf(value, names)}`
  }
  if (relation !== undefined) return `${relation}: ${textOf(to, names)}`
  if (into !== undefined) return `is the same as ${textOf(into, names)}`
  if (alias !== undefined) return `is also called ${textOf(alias, names)}`
  return Object.entries(payload)
    .filter(([name, given]) => given !== null && !subjects.has(name))
    .map(([name, given]) => `${wordsOfName(name).join(' ')}: ${textOf(given, names)}`)
    .join(', ')
}

const subjects: ReadonlySet<string> = new Set(['entity', 'from', 'name', 'memory'])

/** A value in words, with names in place of ids. */
function textOf(value: unknown, names: Names): string {
  if (Array.isArray(value)) return value.map(one => textOf(one, names)).join(', ')
  return names[String(value)] ?? String(value)
}
