import { useState } from 'preact/hooks'
import { tryRecall } from '../api/try-recall.js'
import { Time } from '../parts/time.js'
import { showFailure } from '../parts/toast.js'
import { countText } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { compare, type Difference as Found } from './compare.js'
import { Difference } from './difference.js'

const limit = 10

/** Saved queries to repeat after a change of settings, with new, lost and moved results. */
export function SavedQueries({ query }: { query: string }) {
  const [saved, setSaved] = useState(savedQueries)
  const [differences, setDifferences] = useState<ReadonlyMap<string, Found>>(new Map())
  const [isBusy, setBusy] = useState(false)
  const keep = (next: SavedQuery[]) => {
    keepQueries(next)
    setSaved(next)
  }
  const busy = (work: () => Promise<void>) => async () => {
    setBusy(true)
    await work().catch(showFailure)
    setBusy(false)
  }
  const save = busy(async () => {
    const results = await idsOf(query)
    const others = saved.filter(one => one.query !== query)
    keep([...others, { query, results, at: new Date().toISOString() }])
  })
  const runAgain = busy(async () => {
    const found = new Map<string, Found>()
    for (const one of saved) found.set(one.query, compare(one.results, await idsOf(one.query)))
    setDifferences(found)
  })
  return (
    <section class="card" aria-label="Saved queries">
      <div class="head-line">
        <h2>Saved queries</h2>
        <button type="button" class="plain" disabled={query === '' || isBusy} onClick={save}>
          Save this query
        </button>
        <button type="button" disabled={saved.length === 0 || isBusy} onClick={runAgain}>
          Run all again
        </button>
      </div>
      {saved.length === 0 && (
        <p class="dim">Save queries, change a setting, and see what is found, lost or moved.</p>
      )}
      <ul class="plain-list lined">
        {saved.map(one => (
          <li key={one.query} class="line">
            <a class="clip" href={addressOf('recall', [], { q: one.query })}>
              {one.query}
            </a>
            <span class="dim">
              {countText(one.results.length, 'result')} <Time at={one.at} />
            </span>
            <Difference difference={differences.get(one.query)} />
            <button
              type="button"
              class="plain"
              onClick={() => keep(saved.filter(other => other.query !== one.query))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

async function idsOf(query: string): Promise<string[]> {
  const { results } = await tryRecall({ query, limit })
  return results.map(({ id }) => id)
}

interface SavedQuery {
  query: string
  /** Ids in order. */
  results: readonly string[]
  /** Time of the results. */
  at: string
}

const key = 'memory-service.recall-lab'

/** Stored in this browser: queries and ids, without texts of memories. */
function savedQueries(): SavedQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? (stored as SavedQuery[]) : []
  } catch {
    return []
  }
}

function keepQueries(queries: readonly SavedQuery[]): void {
  localStorage.setItem(key, JSON.stringify(queries))
}
