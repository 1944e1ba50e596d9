import { progressText, type ShownSource } from '../../cli/knowledge/sources/follow-source.js'
import { jobLine } from '../../cli/knowledge/sources/source-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print, printNote } from '../../cli/terminal/output.js'
import { pollUntil } from '../../cli/terminal/poll-until.js'
import { startProgressBar } from '../../cli/terminal/progress.js'
import { plainLine } from '../../cli/terminal/text.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

export default class SourcesWatch extends DaemonCommand {
  static override summary = 'Watch sync progress.'
  static override description =
    'Ends when no source is being read. The exit code is 1 if a watched source fails. Ctrl-C stops watching, ' +
    'not the sync.'
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

/**
 * Shows the progress of all sources until none is being read. @param onEnd receives each source that was
 * completed
 */
async function watchSources(
  look: () => Promise<readonly ShownSource[]>,
  onEnd: (source: ShownSource) => void,
): Promise<readonly ShownSource[]> {
  const bar = startProgressBar()
  const watched = new Set<string>()
  try {
    return await pollUntil(look, sources => {
      for (const source of sources) {
        if (isBeingRead(source)) watched.add(source.id)
        else if (watched.delete(source.id)) onEnd(source)
      }
      const running = sources.filter(isBeingRead)
      if (running.length === 0) return true
      bar.update(running.map(one => lineOf(one, Date.now())).join('; '), fractionOf(running))
      return false
    })
  } finally {
    bar.stop()
  }
}

/** Returns true if a source is queued or being read. A source that only follows changes does not count. */
function isBeingRead({ indexJob }: ShownSource): boolean {
  return indexJob?.status === 'queued' || (indexJob?.status === 'running' && indexJob.partial)
}

/** @param nowMs milliseconds since the epoch; the speed is computed from the start of the job */
function lineOf({ name, indexJob }: ShownSource, nowMs: number): string {
  if (!indexJob) return plainLine(name)
  const { startedAt, scanned } = indexJob
  const seconds = startedAt === null ? 0 : (nowMs - Date.parse(startedAt)) / 1000
  return `${plainLine(name)}: ${progressText(indexJob, seconds > 1 ? scanned / seconds : undefined)}`
}

/** Returns 0 to 1; undefined while the total is unknown. */
function fractionOf(sources: readonly ShownSource[]): number | undefined {
  const jobs = sources.flatMap(({ indexJob }) => (indexJob ? [indexJob] : []))
  const total = jobs.reduce((sum, job) => sum + (job.total ?? Number.NaN), 0)
  const scanned = jobs.reduce((sum, job) => sum + Math.min(job.scanned, job.total ?? 0), 0)
  return total > 0 ? scanned / total : undefined
}
