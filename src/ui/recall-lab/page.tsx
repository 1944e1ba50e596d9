import type { Reply } from '../../contract/api.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { tryRecall } from '../api/try-recall.js'
import { Empty } from '../parts/empty.js'
import { useLater } from '../parts/every.js'
import { Failure } from '../parts/failure.js'
import { SearchField } from '../parts/fields/search-field.js'
import { Loading } from '../parts/loading.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'
import { type Channel, Channels, channelsIn, channelsOff } from './channels.js'
import { compare } from './compare.js'
import { Difference } from './difference.js'
import { RecordedQuestions } from './recorded-questions.js'
import { SavedQueries } from './saved-queries.js'
import { Waterfall } from './waterfall.js'
import './recall-lab.css'

type Row = Reply<'POST /api/memory/recall'>['results'][number]

const limit = 20
const ways = {
  hybrid: 'by words and meaning',
  keyword: 'by words',
  vector: 'by meaning',
  none: 'without a search',
} as const
const settleMs = 300

/** Why a recall gives what it gives. */
export default function RecallLab({ place }: PageProps) {
  const { q = '', channels: named } = place.query
  const asked = useLater(q.trim(), settleMs)
  const result = useLoaded(
    signal => (asked === '' ? undefined : tried(asked, channelsIn(named), signal)),
    [asked, named],
  )
  const show = (query: { q: string; channels?: string | undefined }) =>
    replace(addressOf('recall', [], query))
  // What stands below would be pushed down by what is found.
  const isSettled = asked === '' || result.value !== undefined || result.error !== undefined
  return (
    <>
      <h1>Recall lab</h1>
      <SearchField
        label="Ask as an agent would"
        value={q}
        onInput={text => show({ q: text, channels: named })}
      />
      {result.error && <Failure error={result.error} retry={result.reload} />}
      {asked === '' && (
        <Empty title="Ask something">
          <p>Each row shows how its score came about, and below the line stands what the cut-off left out.</p>
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
      {isSettled && may('analytics') && <RecordedQuestions />}
    </>
  )
}

interface Tried {
  reply: Reply<'POST /api/memory/recall'>
  /** What comes when nothing is cut off, and is not in the reply. */
  dropped: Row[]
  /** What the channels of the settings give, where others were chosen. */
  usual: Reply<'POST /api/memory/recall'> | undefined
}

/** The same question with the cut-off and without. */
async function tried(query: string, channels: Channel[] | undefined, signal: AbortSignal): Promise<Tried> {
  const body = { query, limit, explain: true }
  const chosen = { ...body, ...(channels && { channels }) }
  const [reply, all, usual] = await Promise.all([
    tryRecall(chosen, signal),
    tryRecall({ ...chosen, score_min: 0 }, signal),
    channels && tryRecall(body, signal),
  ])
  const told = new Set(idsOf(reply))
  return { reply, dropped: all.results.filter(({ id }) => !told.has(id)), usual }
}

function idsOf({ results }: Reply<'POST /api/memory/recall'>): string[] {
  return results.map(({ id }) => id)
}

function Outcome({ reply, dropped, usual }: Tried) {
  const { results, method, meta } = reply
  const off = channelsOff(meta.channels ?? [])
  return (
    <section class="stack" aria-label="What was found">
      <p class="dim" role="status">
        {results.length} found {ways[method]}, in {Math.round(meta.timings.total ?? 0)} ms. Chance that the
        best one answers: {Math.round(100 * meta.confidence)} %
        {meta.embedding && `. Without vectors: ${meta.embedding}`}
      </p>
      {results.length === 0 && (
        <Empty title="Nothing is good enough">
          <p>
            {dropped.length > 0
              ? 'What was found fell below the cut-off.'
              : 'No memory shares a word or meaning with it.'}
          </p>
        </Empty>
      )}
      {usual && (
        <p>
          Against the channels of the settings:{' '}
          <Difference difference={compare(idsOf(usual), idsOf(reply))} />
        </p>
      )}
      <Rows rows={results} off={off} />
      {dropped.length > 0 && (
        <>
          <h2>Dropped by the cut-off</h2>
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
              {row.type}, {row.source}
              {row.supplementary && ', beside the ranking'}
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
