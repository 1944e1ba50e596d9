import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { pollUntil } from '../../terminal/poll-until.js'
import { startProgressBar } from '../../terminal/progress-bar.js'
import { createRate } from '../sources/follow-source.js'

export type CodeStatus = Reply<'GET /api/code/status'>
type CodeJob = NonNullable<CodeStatus['job']>

/** Waits until a project is indexed, and shows the progress: files, changed files and speed. */
export async function followIndex(look: () => Promise<CodeStatus>, jobId: string): Promise<CodeStatus> {
  const bar = startProgressBar()
  const rate = createRate()
  try {
    return await pollUntil(look, ({ job }) => {
      if (!job || job.id !== jobId || (job.state !== 'waiting' && job.state !== 'running')) return true
      bar.update(progressText(job, job.phase === 'parsing' ? rate(job.done) : undefined), fractionOf(job))
      return false
    })
  } finally {
    bar.stop()
  }
}

/** @param perSecond undefined until it is known. */
export function progressText({ state, phase, done, total, result }: CodeJob, perSecond?: number): string {
  if (result) {
    const { read, unchanged, failed, removed } = result
    const faults = failed > 0 ? `, ${failed} failed` : ''
    const gone = removed > 0 ? `, ${removed} deleted` : ''
    return `${countOf(read, 'file')} read, ${unchanged} unchanged${gone}${faults}`
  }
  if (state === 'waiting') return 'queued'
  if (phase === 'resolving') return `resolving names, ${done} of ${countOf(total, 'file')}`
  if (phase !== 'parsing') return `scanning, ${countOf(done, 'file')}`
  const speed = perSecond === undefined ? '' : `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`
  return `${done} of ${countOf(total, 'file')} read${speed}`
}

function fractionOf({ phase, done, total }: CodeJob): number | undefined {
  return phase === 'listing' || total === 0 ? undefined : done / total
}
