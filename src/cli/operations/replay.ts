import { once } from 'node:events'
import { call } from '../../client/call.js'
import type { CallOptions } from '../../client/http/call-options.js'
import type { Request } from '../../contract/api.js'
import type { ReplayReply, ReplayResult, ReplaySummary } from '../../contract/operations/recall-records.js'
import { startProgressBar } from '../terminal/progress.js'

type Body = NonNullable<Request<'POST /api/telemetry/memory-search/replay'>['body']>

/** Result of a replay, up to its end or cancellation. */
export interface RecallReplay {
  results: ReplayResult[]
  summary: ReplaySummary
  /** True after Ctrl-C; the results so far are included. */
  cancelled: boolean
}

/** Queries per call; progress and Ctrl-C are handled between calls. */
const batchSize = 10

/** Replays recorded recalls in batches, with progress on standard error. */
export async function replayInSteps(body: Body, limit: number, reach: CallOptions): Promise<RecallReplay> {
  const life = new AbortController()
  const ended = new AbortController()
  void once(process, 'SIGINT', { signal: ended.signal }).then(
    () => life.abort(),
    () => undefined,
  )
  const bar = startProgressBar()
  const results: ReplayResult[] = []
  let summary = nothing
  try {
    for (let after: Body['after']; results.length < limit && !life.signal.aborted; ) {
      const asked = { ...body, after, limit: Math.min(batchSize, limit - results.length) }
      const reply = await step(asked, { ...reach, signal: life.signal })
      if (!reply) break
      results.push(...reply.results)
      summary = added(summary, reply.summary)
      const total = Math.min(limit, reply.total)
      bar.update(`${results.length} of ${total} replayed`, results.length / Math.max(1, total))
      if (!reply.next) break
      after = reply.next
    }
  } finally {
    bar.stop()
    ended.abort()
  }
  return { results, summary, cancelled: life.signal.aborted }
}

/** Returns undefined if the user cancelled. */
async function step(body: Body, reach: CallOptions): Promise<ReplayReply | undefined> {
  try {
    return await call('POST /api/telemetry/memory-search/replay', { body }, reach)
  } catch (error) {
    if (reach.signal?.aborted) return undefined
    throw error
  }
}

const nothing: ReplaySummary = {
  queries: 0,
  same: 0,
  changed: 0,
  skipped: 0,
  found: 0,
  lost: 0,
  moved: 0,
  no_hits: { before: 0, after: 0 },
}

function added(one: ReplaySummary, other: ReplaySummary): ReplaySummary {
  return {
    queries: one.queries + other.queries,
    same: one.same + other.same,
    changed: one.changed + other.changed,
    skipped: one.skipped + other.skipped,
    found: one.found + other.found,
    lost: one.lost + other.lost,
    moved: one.moved + other.moved,
    no_hits: {
      before: one.no_hits.before + other.no_hits.before,
      after: one.no_hits.after + other.no_hits.after,
    },
  }
}
