import { askUntil } from '../terminal/ask-until.js'
import { startProgressBar } from '../terminal/progress-bar.js'
import { plainLine } from '../terminal/text.js'
import { progressText, type ShownSource } from './follow-source.js'

/** Shows every reading that runs until none does. @param onEnd hears of each source that came to its end meanwhile */
export async function watchSources(
  look: () => Promise<readonly ShownSource[]>,
  onEnd: (source: ShownSource) => void,
): Promise<readonly ShownSource[]> {
  const bar = startProgressBar()
  const watched = new Set<string>()
  try {
    return await askUntil(look, sources => {
      for (const source of sources) {
        if (isOnItsWay(source)) watched.add(source.id)
        else if (watched.delete(source.id)) onEnd(source)
      }
      const running = sources.filter(isOnItsWay)
      if (running.length === 0) return true
      bar.update(running.map(one => lineOf(one, Date.now())).join('; '), fractionOf(running))
      return false
    })
  } finally {
    bar.stop()
  }
}

/** Whether a source waits to be read, or is read now. One that only follows changes is not on its way. */
function isOnItsWay({ indexJob }: ShownSource): boolean {
  return indexJob?.status === 'queued' || (indexJob?.status === 'running' && indexJob.partial)
}

/** @param nowMs milliseconds since the epoch: whoever began the reading, its start tells how fast it is */
function lineOf({ name, indexJob }: ShownSource, nowMs: number): string {
  if (!indexJob) return plainLine(name)
  const { startedAt, scanned } = indexJob
  const seconds = startedAt === null ? 0 : (nowMs - Date.parse(startedAt)) / 1000
  return `${plainLine(name)}: ${progressText(indexJob, seconds > 1 ? scanned / seconds : undefined)}`
}

/** 0 to 1; undefined while nobody knows how much there is. */
function fractionOf(sources: readonly ShownSource[]): number | undefined {
  const jobs = sources.flatMap(({ indexJob }) => (indexJob ? [indexJob] : []))
  const total = jobs.reduce((sum, job) => sum + (job.total ?? Number.NaN), 0)
  const scanned = jobs.reduce((sum, job) => sum + Math.min(job.scanned, job.total ?? 0), 0)
  return total > 0 ? scanned / total : undefined
}
