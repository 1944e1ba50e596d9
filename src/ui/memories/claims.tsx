import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { addressOf } from '../routing/place.js'

/** What is held on the word of a memory, with the quotes; nothing where nothing is. */
export function Claims({ id, agentId }: { id: string; agentId: string | undefined }) {
  const loaded = useLoaded(
    signal =>
      call('GET /api/ontology/memories/:id/claims', { params: { id }, query: { agentId } }, { signal }),
    [id, agentId, changes.value],
  )
  // What is known is its agent's own: who may not read as that agent is told nothing of it.
  if (loaded.error?.status === 403) return null
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value || loaded.value.claims.length === 0) return null
  const { claims, truncated } = loaded.value
  return (
    <section class="stack" aria-label="Held on its word">
      <h2>Held on its word</h2>
      <ul class="plain-list lined">
        {claims.map(held => (
          <li key={`${held.id} ${held.quote}`}>
            <span class="line">
              <a href={addressOf('knowledge', ['entity', held.entity.id])}>{held.entity.name}</a>
              <span class="dim">
                {held.aspect} · {held.group} · {held.claim}
              </span>
              <strong class="words">{held.value}</strong>
              <span class={held.status === 'current' ? 'tag' : 'tag warn'}>{held.status}</span>
            </span>
            <q class="words dim">{held.quote}</q>
          </li>
        ))}
      </ul>
      {truncated && <p class="dim">The newest {claims.length} of them.</p>}
    </section>
  )
}
