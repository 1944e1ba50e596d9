import type { Reply } from '../../contract/api.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { tryRecall } from '../api/try-recall.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { useLater } from '../parts/later.js'
import { Loading } from '../parts/loading.js'
import { SearchField } from '../parts/search-field.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'
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
  const q = place.query.q ?? ''
  const asked = useLater(q.trim(), settleMs)
  const result = useLoaded(signal => (asked === '' ? undefined : tried(asked, signal)), [asked])
  return (
    <>
      <h1>Recall lab</h1>
      <SearchField
        label="Ask as an agent would"
        value={q}
        onInput={text => replace(addressOf('recall', [], { q: text }))}
      />
      {result.error && <Failure error={result.error} retry={result.reload} />}
      {asked === '' && (
        <Empty title="Ask something">
          <p>Each row shows how its score came about, and below the line stands what the cut-off left out.</p>
        </Empty>
      )}
      {result.isLoading && !result.value && <Loading />}
      {result.value && asked !== '' && <Outcome {...result.value} />}
      <SavedQueries query={asked} />
      {may('analytics') && <RecordedQuestions />}
    </>
  )
}

interface Tried {
  reply: Reply<'POST /api/memory/recall'>
  /** What comes when nothing is cut off, and is not in the reply. */
  dropped: Row[]
}

/** The same question with the cut-off and without. */
async function tried(query: string, signal: AbortSignal): Promise<Tried> {
  const body = { query, limit, explain: true }
  const [reply, all] = await Promise.all([
    tryRecall(body, signal),
    tryRecall({ ...body, score_min: 0 }, signal),
  ])
  const told = new Set(reply.results.map(({ id }) => id))
  return { reply, dropped: all.results.filter(({ id }) => !told.has(id)) }
}

function Outcome({ reply, dropped }: Tried) {
  const { results, method, meta } = reply
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
      <Rows rows={results} />
      {dropped.length > 0 && (
        <>
          <h2>Dropped by the cut-off</h2>
          <Rows rows={dropped} isDropped />
        </>
      )}
    </section>
  )
}

function Rows({ rows, isDropped = false }: { rows: readonly Row[]; isDropped?: boolean }) {
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
            {row.explain && <Waterfall explain={row.explain} isOpen={position === 0 && !isDropped} />}
          </div>
        </li>
      ))}
    </ol>
  )
}
