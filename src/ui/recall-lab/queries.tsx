import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call, changeSetting } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may, tryRecall } from '../api/session.js'
import { Failure, Progress } from '../parts/placeholders.js'
import { showFailure } from '../parts/toast.js'
import { Command, countText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { compare, type Difference as Found } from './compare.js'

const limit = 10

type Page = Reply<'POST /api/telemetry/memory-search/replay'>
type ReplayedRecall = Page['results'][number]

const reasons = { changed: 'added or removed since then', ranked: 'ranked differently' } as const

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

/** New, lost and moved results with the ends of their ids. */
export function Difference({ difference }: { difference: Found | undefined }) {
  if (!difference) return null
  const { found, lost, moved } = difference
  if (found.length + lost.length + moved.length === 0) return <strong class="good">unchanged</strong>
  return (
    <span>
      <Ids words="found" tone="good" ids={found} /> <Ids words="lost" tone="bad" ids={lost} />{' '}
      <span title={moved.map(({ id, from, to }) => `${id}: ${from} → ${to}`).join('\n')}>
        {moved.length} moved
      </span>
    </span>
  )
}

function Ids({ words, tone, ids }: { words: string; tone: string; ids: readonly string[] }) {
  return (
    <span class={ids.length > 0 ? tone : 'dim'}>
      {ids.length} {words}
      {ids.map(id => (
        <a key={id} href={addressOf('memories', [id])}>
          {' '}
          {id.slice(-6)}
        </a>
      ))}
    </span>
  )
}

/** Replays recorded queries of agents with the current settings. */
export function RecordedQueries() {
  const [pages, setPages] = useState<readonly Page[]>([])
  const [isBusy, setBusy] = useState(false)
  const recorded = useLoaded(
    signal => call('GET /api/telemetry/memory-search', { query: { limit: 1 } }, { signal }),
    [],
  )
  const ask = async (before: readonly Page[]) => {
    setBusy(true)
    const after = before.at(-1)?.next ?? undefined
    await call('POST /api/telemetry/memory-search/replay', { body: { after } }).then(
      page => setPages([...before, page]),
      showFailure,
    )
    setBusy(false)
  }
  const isThere = recorded.value !== undefined && recorded.value.items.length > 0
  const hasMore = pages.at(-1)?.next !== null && pages.length > 0
  return (
    <section class="card" aria-label="Recorded queries">
      <div class="head-line">
        <h2>Recorded queries</h2>
        {hasMore && (
          <button type="button" class="plain" disabled={isBusy} onClick={() => ask(pages)}>
            Run more
          </button>
        )}
        <button type="button" disabled={!isThere || isBusy} onClick={() => ask([])}>
          Run again
        </button>
      </div>
      {recorded.error && <Failure error={recorded.error} retry={recorded.reload} />}
      {recorded.value && !recorded.value.enabled && <NotRecorded reload={recorded.reload} />}
      {recorded.value?.enabled && !isThere && (
        <p class="dim">No queries yet. They appear after the next recall of an agent.</p>
      )}
      {pages.length > 0 && <Sum pages={pages} />}
      <ul class="plain-list lined">
        {pages
          .flatMap(({ results }) => results)
          .filter(({ status }) => status === 'changed')
          .map(one => (
            <li key={one.id}>
              <Change one={one} />
            </li>
          ))}
      </ul>
    </section>
  )
}

function Sum({ pages }: { pages: readonly Page[] }) {
  const sum = (field: 'queries' | 'same' | 'changed' | 'skipped'): number =>
    pages.reduce((total, { summary }) => total + summary[field], 0)
  const skipped = sum('skipped')
  return (
    <p class="line" role="status">
      <Progress label="Queries run again" done={sum('queries')} total={pages.at(-1)?.total ?? null} />
      <span>
        <span class="good">{sum('same')} unchanged</span>, {sum('changed')} changed
        {skipped > 0 && `, ${skipped} skipped because their record is incomplete`}
      </span>
    </p>
  )
}

function Change({ one: { query, created_at: at, found, lost, moved } }: { one: ReplayedRecall }) {
  return (
    <>
      <span class="line">
        <a class="clip" href={addressOf('recall', [], { q: query })}>
          {query}
        </a>
        <span class="dim">
          <Time at={at} />
        </span>
        {moved.length > 0 && (
          <span
            class="dim"
            title={moved.map(({ content, from, to }) => `${from} → ${to}: ${content}`).join('\n')}
          >
            {countText(moved.length, 'row')} moved
          </span>
        )}
      </span>
      <OneSided tone="good" word="found" rows={found} />
      <OneSided tone="bad" word="lost" rows={lost} />
    </>
  )
}

function OneSided({ tone, word, rows }: { tone: string; word: string; rows: ReplayedRecall['found'] }) {
  return (
    <>
      {rows.map(({ id, rank, content, why }) => (
        <p key={id} class="words">
          <span class={tone}>
            {word} at rank {rank}
          </span>{' '}
          <a class="quiet" href={addressOf('memories', [id])}>
            {content ?? '(forgotten memory)'}
          </a>{' '}
          <span class="dim">{reasons[why]}</span>
        </p>
      ))}
    </>
  )
}

function NotRecorded({ reload }: { reload: () => void }) {
  const record = () => changeSetting('telemetry.memorySearchQaEnabled', 'true').then(reload, showFailure)
  return (
    <p class="dim">
      Queries of agents are not recorded. They can be kept on this machine for 30 days:{' '}
      {may('admin') ? (
        <button type="button" onClick={record}>
          Record queries
        </button>
      ) : (
        <Command text="memory config set telemetry.memorySearchQaEnabled true" />
      )}
    </p>
  )
}
