import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Args, Flags } from '@oclif/core'
import { canAsk, requireConsent } from '../cli/consent/consent.js'
import { mirrorMemories } from '../cli/memory/mirror/mirror-memories.js'
import { type MirrorReport, type SyncOptions, syncMirror } from '../cli/memory/mirror/sync-mirror.js'
import { projectFlag } from '../cli/memory/project-flags.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { print } from '../cli/terminal/output.js'
import { countOf } from '../lib/text/count-of.js'

const watchMs = 5000

export default class Mirror extends DaemonCommand {
  static override summary = 'Keep memories as Markdown files in a folder, in both directions.'
  static override description =
    'Writes one file a memory, with its id at the top. An edit in the file becomes a new version, and a changed ' +
    'memory changes its file; if both changed, the edit stays in a file beside it. Deleted files forget their ' +
    'memories only with your yes or with --forget and their number. Other files of the folder are never touched. ' +
    'Each run synchronises once; --watch goes on until Ctrl-C.'
  static override examples = [
    '<%= config.bin %> mirror ~/Notes/memory',
    '<%= config.bin %> mirror ~/Notes/shop --project shop --watch',
    '<%= config.bin %> mirror ~/Notes/memory --forget 3',
  ]
  static override args = {
    folder: Args.string({ description: 'Folder of the files.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    project: projectFlag({ summary: 'Only memories of this project.', char: 'p', helpValue: 'NAME' }),
    watch: Flags.boolean({ summary: 'Go on every five seconds until Ctrl-C.' }),
    forget: Flags.integer({
      summary: 'Forget the memories whose files were deleted, if they are this many.',
      helpValue: 'COUNT',
      min: 1,
      exclusive: ['restore'],
    }),
    restore: Flags.boolean({ summary: 'Write deleted files again.' }),
  }

  async run(): Promise<MirrorReport> {
    const { args, flags } = await this.parse(Mirror)
    const folder = resolve(args.folder)
    const memories = mirrorMemories((address, request) => this.call(address, request), flags.project)
    const options = { now: Date.now, onMissing: this.decision(flags) }
    let report = await syncMirror(folder, memories, options)
    if (!this.jsonEnabled()) print(reportLines(report, folder).join('\n'))
    while (flags.watch) {
      await delay(watchMs)
      report = await syncMirror(folder, memories, options)
      const isNews = report.written + report.removed + report.changed + report.conflicts.length > 0
      if (isNews) print(reportLines(report, folder).join('\n'))
    }
    return report
  }

  private decision(flags: {
    forget?: number | undefined
    restore: boolean
    watch: boolean
  }): SyncOptions['onMissing'] {
    return async count => {
      if (flags.restore) return 'restore'
      if (flags.forget === count) return 'forget'
      if (flags.forget !== undefined)
        throw new CliError(`${countOf(count, 'deleted file')}, not ${flags.forget}`, {
          code: 'confirmation_required',
          exit: 'usage',
          nextSteps: [`--forget ${count} forgets them`, '--restore writes the files again'],
        })
      if (flags.watch || !canAsk(this.jsonEnabled())) return 'wait'
      const memories = countOf(count, 'memory', 'memories')
      await requireConsent({
        lines: [`The mirror has ${countOf(count, 'deleted file')}.`],
        question: `Forget ${memories}?`,
      })
      return 'forget'
    }
  }
}

function reportLines(report: MirrorReport, folder: string): string[] {
  const { written, removed, changed, forgotten, missing, waiting, conflicts, others } = report
  const memories = (count: number) => countOf(count, 'memory', 'memories')
  const lines = [
    ...(written > 0 ? [`Wrote ${countOf(written, 'file')}`] : []),
    ...(changed > 0 ? [`Took over edits of ${memories(changed)}`] : []),
    ...(removed > 0 ? [`Removed ${countOf(removed, 'file')} of memories that are gone`] : []),
    ...(forgotten > 0 ? [`Forgot ${memories(forgotten)}; memory undo brings them back`] : []),
    ...(missing > 0
      ? [
          `${countOf(missing, 'deleted file')}; ${missing === 1 ? 'its memory stays' : 'their memories stay'}`,
          `  next: memory mirror ${folder} --forget ${missing}, or --restore`,
        ]
      : []),
    ...(waiting > 0 ? [`${countOf(waiting, 'file')} may still be written, and wait for the next run`] : []),
    ...conflicts.map(path => `Both changed; your edit is in ${path}`),
    ...(others > 0 ? [`${countOf(others, 'other file')} left alone`] : []),
  ]
  return lines.length > 0 ? lines : ['Nothing changed']
}
