import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { countText } from '../parts/count-text.js'
import { Failure } from '../parts/failure.js'
import { Time } from '../parts/time.js'
import { useInterval } from '../parts/use-interval.js'

type Node = NonNullable<Reply<'GET /api/status'>['nodes']>[number]

/** As often as a daemon tells the others that it lives. */
const lookEveryMs = 10_000

/** The daemons that share the database, each with its work; nothing for one that serves alone. */
export function Nodes() {
  const round = useInterval(lookEveryMs)
  const { value, error, reload } = useLoaded(signal => call('GET /api/status', {}, { signal }), [round])
  if (!value) return error ? <Failure error={error} retry={reload} /> : null
  const { nodes = [], index, startedAt } = value
  if (nodes.length === 0) return null
  const newest = Math.max(index.change, ...nodes.map(({ applied }) => applied))
  const isMixed = new Set(nodes.map(({ version }) => version)).size > 1
  return (
    <section class="stack" aria-label="Daemons">
      <h2>Daemons</h2>
      {error && <Failure error={error} retry={reload} />}
      {index.behindSeconds !== undefined && (
        <p class="warn">The daemon that shows this page is {index.behindSeconds} s behind the others.</p>
      )}
      <ul class="plain-list lined">
        {nodes.map(node => (
          <li key={`${node.name} ${node.url}`}>
            <strong class="words">{node.name}</strong>{' '}
            <span class={isMixed ? 'warn' : 'dim'}>{node.version}</span>{' '}
            <code class="dim words">{node.url}</code>
            {node.startedAt === startedAt && <span class="dim"> shows this page</span>}
            <NodeState node={node} newest={newest} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function NodeState({ node, newest }: { node: Node; newest: number }) {
  const { applied, seenAt, jobs, duties } = node
  const behind = newest - applied
  return (
    <p class="dim words">
      Seen <Time at={seenAt} />.{' '}
      {behind === 0 ? 'Its index has all changes. ' : `Its index is ${countText(behind, 'change')} behind. `}
      {jobs > 0 && `It runs ${countText(jobs, 'job')}. `}
      {duties.length > 0 && `It does ${duties.join(', ')}.`}
    </p>
  )
}
