import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'

/** What replaced what; nothing where nothing was replaced. */
export function Lineage({ id }: { id: string }) {
  const lineage = useLoaded(
    signal => call('GET /api/memory/:id/lineage', { params: { id } }, { signal }),
    [id, changes.value],
  )
  if (lineage.error) return <Failure error={lineage.error} retry={lineage.reload} />
  const items = lineage.value?.lineage ?? []
  if (items.length < 2) return null
  return (
    <section class="stack" aria-label="Lineage">
      <h2>Lineage</h2>
      <ol class="plain-list lined">
        {items.map(item => (
          <li key={item.id}>
            <span class="dim">
              <Time at={item.createdAt} />
              {item.supersededReason && ` · replaced: ${item.supersededReason}`}
            </span>
            <p class="words">
              {item.id === id ? (
                <strong>{item.content}</strong>
              ) : (
                <a href={addressOf('memories', [item.id])}>{item.content}</a>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}
