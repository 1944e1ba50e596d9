import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { startProgressBar } from '../../terminal/progress.js'
import { plainLine } from '../../terminal/text.js'

export type ShownSource = Reply<'GET /api/sources/:sourceId'>
type IndexJob = NonNullable<ShownSource['indexJob']>

const firstWaitMs = 10
const longestWaitMs = 500

/** Waits until the job of a source has ended or paused, and shows its progress and speed. */
export async function followSource(look: () => Promise<ShownSource>): Promise<ShownSource> {
  const bar = startProgressBar()
  const rate = createRate()
  try {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      const source = await look()
      const { indexJob: job } = source
      if (!job || (job.status !== 'queued' && job.status !== 'running')) return source
      bar.update(progressText(job, rate(job.scanned)), fractionOf(job))
      await delay(waitMs)
    }
  } finally {
    bar.stop()
  }
}

/** Formats the state of a job and its count; `perSecond` is undefined until it is known. */
export function progressText(
  { status, statusMessage, scanned, indexed, total }: IndexJob,
  perSecond: number | undefined,
): string {
  if (status === 'queued') return 'queued'
  if (total === null && scanned === 0) return statusMessage ? plainLine(statusMessage) : 'scanning'
  const checked = total === null ? countOf(scanned, 'item') : `${scanned} of ${countOf(total, 'item')}`
  const speed = perSecond === undefined ? '' : `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`
  const doing = statusMessage ? `${plainLine(statusMessage)}: ` : ''
  return `${doing}${checked} checked, ${indexed} new or changed${speed}`
}

function fractionOf({ scanned, total }: IndexJob): number | undefined {
  return total ? scanned / total : undefined
}

/** Returns a function that computes counts per second since its first call. */
export function createRate(
  now: () => number = () => performance.now(),
): (count: number) => number | undefined {
  const first: { at?: number; count: number } = { count: 0 }
  return count => {
    if (first.at === undefined) Object.assign(first, { at: now(), count })
    const seconds = (now() - (first.at ?? 0)) / 1000
    return seconds < 1 || count === first.count ? undefined : (count - first.count) / seconds
  }
}
