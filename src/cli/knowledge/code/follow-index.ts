import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { askUntil } from '../../terminal/ask-until.js'
import { startProgressBar } from '../../terminal/progress-bar.js'
import { createRate } from '../sources/follow-source.js'

export type CodeStatus = Reply<'GET /api/code/status'>
type CodeJob = NonNullable<CodeStatus['job']>

/** Waits until a project is read, and tells how far it is: how many files, how many of them anew, how fast. */
export async function followIndex(look: () => Promise<CodeStatus>, jobId: string): Promise<CodeStatus> {
  const bar = startProgressBar()
  const rate = createRate()
  try {
    return await askUntil(look, ({ job }) => {
      if (!job || job.id !== jobId || (job.state !== 'waiting' && job.state !== 'running')) return true
      bar.update(progressText(job, job.phase === 'parsing' ? rate(job.done) : undefined), fractionOf(job))
      return false
    })
  } finally {
    bar.stop()
  }
}

/** @param perSecond undefined as long as nobody can say. */
export function progressText({ state, phase, done, total, result }: CodeJob, perSecond?: number): string {
  if (result) {
    const { read, unchanged, failed, removed } = result
    const faults = failed > 0 ? `, ${failed} not readable` : ''
    const gone = removed > 0 ? `, ${removed} gone` : ''
    return `${countOf(read, 'file')} read, ${unchanged} unchanged${gone}${faults}`
  }
  if (state === 'waiting') return 'waiting for its turn'
  if (phase === 'resolving') return `binding names, ${done} of ${countOf(total, 'file')}`
  if (phase !== 'parsing') return `looking what is there, ${countOf(done, 'file')}`
  const speed = perSecond === undefined ? '' : `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} a second`
  return `${done} of ${countOf(total, 'file')} read${speed}`
}

function fractionOf({ phase, done, total }: CodeJob): number | undefined {
  return phase === 'listing' || total === 0 ? undefined : done / total
}
