import { progressText, type ShownSource } from '../../cli/knowledge/sources/follow-source.js'
import { jobLine } from '../../cli/knowledge/sources/source-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { askUntil } from '../../cli/terminal/ask-until.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress-bar.js'
import { plainLine } from '../../cli/terminal/text.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

export default class SourcesWatch extends DaemonCommand {
  static override summary = 'Show how far the sources are that are being read, whoever asked for it.'
  static override description =
    'Ends when none is read any more; the exit code is 1 when one that it watched failed. Ctrl-C ends only the watching.'
  static override examples = ['<%= config.bin %> sources watch']

  async run(): Promise<Reply<'GET /api/sources'>> {
    await this.parse(SourcesWatch)
    const look = async () => (await call('GET /api/sources', {}, this.globals)).sources
    let ended = 0
    const sources = await watchSources(look, ({ name, indexJob }) => {
      ended++
      if (indexJob?.status === 'failed') process.exitCode = exitCodes.failure.code
      if (indexJob && !this.jsonEnabled()) print(`${plainLine(name)}: ${jobLine(indexJob)}`)
    })
    if (ended === 0 && !this.jsonEnabled()) printNote('No source is being read.')
    return { version: 1, sources: [...sources] }
  }
}

/** Shows every reading that runs until none does. @param onEnd hears of each source that came to its end meanwhile */
async function watchSources(
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
