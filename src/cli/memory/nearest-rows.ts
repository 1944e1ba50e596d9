import type { RecallBody } from './recall-flags.js'
import type { RecallReply, RecallRow } from './recall-results.js'

const most = 3

/**
 * What comes nearest to a query that nothing surely answers, for a person to look at: the same recall without its
 * cut-off, as a trial (recall.md#trials). None where that fails: who may recall may not always try.
 *
 * @param ask sends a recall
 */
export async function nearestRows(
  ask: (body: RecallBody) => Promise<RecallReply>,
  body: RecallBody,
): Promise<RecallRow[]> {
  try {
    const { results } = await ask({ ...body, score_min: 0, limit: most, trial: true })
    return results
  } catch {
    return []
  }
}
