import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changeSetting } from '../api/change-setting.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Command } from '../parts/command.js'
import { Failure, Progress } from '../parts/placeholders.js'
import { Time } from '../parts/time.js'
import { showFailure } from '../parts/toast.js'
import { countText } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

type Page = Reply<'POST /api/telemetry/memory-search/replay'>
type ReplayedRecall = Page['results'][number]

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

const reasons = { changed: 'added or removed since then', ranked: 'ranked differently' } as const

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
