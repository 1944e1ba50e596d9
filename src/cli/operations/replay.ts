import { once } from 'node:events'
import { call } from '../../client/call.js'
import type { CallOptions } from '../../client/http/call-options.js'
import type { Request } from '../../contract/api.js'
import type { Replayed, ReplayReply, ReplaySummary } from '../../contract/operations/recall-records.js'
import { startProgressBar } from '../terminal/progress-bar.js'

type Body = NonNullable<Request<'POST /api/telemetry/memory-search/replay'>['body']>

/** What was asked again until it ended. */
export interface RecallReplay {
  results: Replayed[]
  summary: ReplaySummary
  /** Ended by Ctrl-C: what is here was asked all the same. */
  cancelled: boolean
}

/** Queries of one call: between two, progress is told and Ctrl-C is heard. */
const together = 10

/** Asks recorded recalls again, some at a time, with progress on standard error. */
export async function replayInSteps(body: Body, limit: number, reach: CallOptions): Promise<RecallReplay> {
  const life = new AbortController()
  const ended = new AbortController()
  void once(process, 'SIGINT', { signal: ended.signal }).then(
    () => life.abort(),
    () => undefined,
  )
  const bar = startProgressBar()
  const results: Replayed[] = []
  let summary = nothing
  try {
    for (let after: Body['after']; results.length < limit && !life.signal.aborted; ) {
      const asked = { ...body, after, limit: Math.min(together, limit - results.length) }
      const reply = await step(asked, { ...reach, signal: life.signal })
      if (!reply) break
      results.push(...reply.results)
      summary = added(summary, reply.summary)
      const total = Math.min(limit, reply.total)
      bar.update(`${results.length} of ${total} asked again`, results.length / Math.max(1, total))
      if (!reply.next) break
      after = reply.next
    }
  } finally {
    bar.stop()
    ended.abort()
  }
  return { results, summary, cancelled: life.signal.aborted }
}

/** Undefined where somebody ended it. */
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
