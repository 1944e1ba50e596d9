import type { Reply } from '../../contract/api.js'
import { foundByLabel, labelOf } from '../../lib/text/labels.js'
import { useLoaded } from '../api/loaded.js'
import { may, tryRecall } from '../api/session.js'
import { SearchField } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { useDebounced } from '../parts/use-interval.js'
import { countText } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { type PageProps, replace } from '../routing/router.js'
import { compare } from './compare.js'
import { Difference, RecordedQueries, SavedQueries } from './queries.js'
import { type Channel, Channels, channelsIn, channelsOff, Waterfall } from './waterfall.js'
import './recall-lab.css'

type Row = Reply<'POST /api/memory/recall'>['results'][number]

const limit = 20
const methods = {
  hybrid: 'hybrid search',
  keyword: 'keyword search',
  vector: 'semantic search',
  none: 'no search',
} as const
const settleMs = 300

/** Explains the results of a recall. */
export default function RecallLab({ place }: PageProps) {
  const { q = '', channels: named } = place.query
  const asked = useDebounced(q.trim(), settleMs)
  const result = useLoaded(
    signal => (asked === '' ? undefined : runTrial(asked, channelsIn(named), signal)),
    [asked, named],
  )
  const show = (query: { q: string; channels?: string | undefined }) =>
    replace(addressOf('recall', [], query))
  // The section below appears only after the results, which would push it down.
  const isSettled = asked === '' || result.value !== undefined || result.error !== undefined
  return (
    <>
      <h1>Recall lab</h1>
      <SearchField
        label="Run a recall as an agent would"
        value={q}
        onInput={text => show({ q: text, channels: named })}
      />
      {result.error && <Failure error={result.error} retry={result.reload} />}
      {asked === '' && (
        <Empty title="Enter a query">
          <p>
            Each result shows how its score was calculated. Results below the cut-off are listed separately.
          </p>
        </Empty>
      )}
      {result.isLoading && !result.value && <Loading />}
      {result.value && asked !== '' && may('analytics') && (
        <Channels
          on={channelsIn(named) ?? result.value.reply.meta.channels ?? []}
          isUsual={channelsIn(named) === undefined}
          onChange={on => show({ q, channels: on?.join(',') })}
        />
      )}
      {result.value && asked !== '' && <Outcome {...result.value} />}
      {isSettled && <SavedQueries query={asked} />}
      {isSettled && may('analytics') && <RecordedQueries />}
    </>
  )
}

interface TrialResult {
  reply: Reply<'POST /api/memory/recall'>
  /** Results below the cut-off. */
  dropped: Row[]
  /** Results with the channels of the settings, if others were selected. */
  usual: Reply<'POST /api/memory/recall'> | undefined
}

/** Runs the query with and without the cut-off. */
async function runTrial(
  query: string,
  channels: Channel[] | undefined,
  signal: AbortSignal,
): Promise<TrialResult> {
  const body = { query, limit, explain: true }
  const chosen = { ...body, ...(channels && { channels }) }
  const [reply, all, usual] = await Promise.all([
    tryRecall(chosen, signal),
    tryRecall({ ...chosen, score_min: 0 }, signal),
    channels && tryRecall(body, signal),
  ])
  const returned = new Set(idsOf(reply))
  return { reply, dropped: all.results.filter(({ id }) => !returned.has(id)), usual }
}

function idsOf({ results }: Reply<'POST /api/memory/recall'>): string[] {
  return results.map(({ id }) => id)
}

function Outcome({ reply, dropped, usual }: TrialResult) {
  const { results, method, meta } = reply
  const off = channelsOff(meta.channels ?? [])
  return (
    <section class="stack" aria-label="Results">
      <p class="dim" role="status">
        {countText(results.length, 'result')}, {methods[method]}, {Math.round(meta.timings.total ?? 0)} ms.
        Confidence in the best result: {Math.round(100 * meta.confidence)} %
        {meta.embedding && `. No semantic search: ${meta.embedding}`}
      </p>
      {results.length === 0 && (
        <Empty title="No relevant memory">
          <p>
            {dropped.length > 0
              ? 'All candidates scored below the cut-off.'
              : 'No memory matches the query in words or meaning.'}
          </p>
        </Empty>
      )}
      {usual && (
        <p>
          Compared with the configured channels:{' '}
          <Difference difference={compare(idsOf(usual), idsOf(reply))} />
        </p>
      )}
      <Rows rows={results} off={off} />
      {dropped.length > 0 && (
        <>
          <h2>Below the cut-off</h2>
          <Rows rows={dropped} off={off} isDropped />
        </>
      )}
    </section>
  )
}

interface RowsProps {
  rows: readonly Row[]
  off: readonly Channel[]
  isDropped?: boolean
}

function Rows({ rows, off, isDropped = false }: RowsProps) {
  return (
    <ol class={isDropped ? 'plain-list lined dropped' : 'plain-list lined'}>
      {rows.map((row, position) => (
        <li key={row.id} class="found">
          <div class="stack">
            <a class="quiet words" href={addressOf('memories', [row.id])}>
              {row.content.slice(0, 400)}
            </a>
            <span class="dim">
              {labelOf('memoryType', row.type)}, {foundByLabel(row.source)}
              {row.supplementary && ', not ranked'}
              {row.currentness !== 'current' && `, ${row.currentness}`}
            </span>
          </div>
          <div class="stack">
            <strong class="score">{row.score.toFixed(3)}</strong>
            {row.explain && (
              <Waterfall explain={row.explain} off={off} isOpen={position === 0 && !isDropped} />
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}
