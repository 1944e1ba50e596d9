import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'

type Version = Reply<'GET /api/ontology/claims/explain'>['versions'][number]

interface Slot {
  entity: string
  aspect: string
  group: string
  claim: string
  kind: 'attribute' | 'constraint'
}

/** The evidence of a fact: its versions with quotes. */
export function Explanation({ entity, aspect, group, claim, kind }: Slot) {
  const query = { entity, aspect, group, claim, kind }
  const loaded = useLoaded(
    signal => call('GET /api/ontology/claims/explain', { query }, { signal }),
    [entity, aspect, group, claim, kind],
  )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  const { versions, contradictions, integrity } = loaded.value
  return (
    <div class="card">
      <p class="dim">Evidence: {labelOf('integrity', integrity.status)}</p>
      {contradictions.length > 0 && (
        <p class="warn">
          Contradicted by: {contradictions.map(({ value }) => value ?? '(hidden)').join(', ')}
        </p>
      )}
      <ol class="plain-list lined">
        {versions.map(version => (
          <VersionItem key={version.id} version={version} />
        ))}
      </ol>
    </div>
  )
}

function VersionItem({ version }: { version: Version }) {
  return (
    <li>
      <span class="line">
        <strong class="words">{version.value ?? '(hidden)'}</strong>
        <span class="tag">{version.status}</span>
        <Time at={version.recordedAt} />
      </span>
      <ul class="plain-list">
        {version.evidence.map(({ sourceKind, sourceId, quote, state }) => (
          <li key={`${sourceId} ${quote}`}>
            <q class="words">{quote ?? '(hidden)'}</q>{' '}
            <span class={state === 'stands' ? 'dim' : 'warn'}>{labelOf('evidenceState', state)}</span>{' '}
            {sourceId !== null && sourceKind === 'memory' ? (
              <a href={addressOf('memories', [sourceId])}>memory</a>
            ) : (
              <span class="dim">
                {labelOf('evidenceSource', sourceKind)} {sourceId}
              </span>
            )}
          </li>
        ))}
      </ul>
    </li>
  )
}
