import { existsSync } from 'node:fs'
import { exportFlags, exportQuery, exportToFile, exportToStdout } from '../cli/memory/export.js'
import { invalidFlag } from '../cli/memory/flags.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { print } from '../cli/terminal/output.js'
import { startProgressBar } from '../cli/terminal/progress.js'
import { openExport } from '../client/stream.js'
import { countOf, formatBytes } from '../lib/text/count-of.js'

export default class Export extends DaemonCommand {
  static override summary = 'Export memories with their ids, history and timestamps as JSON Lines.'
  static override description =
    'Exports all memories of all agents, unless --agent names one. The first line describes the file. Agents ' +
    'follow, then each memory with its history, ordered by id. A final line shows that the file is complete. ' +
    'To restore an export: memory import.'
  static override examples = [
    '<%= config.bin %> export --deleted --out backup.jsonl',
    '<%= config.bin %> export --tags release | gzip > release.jsonl.gz',
  ]
  static override flags = exportFlags

  async run() {
    const { flags } = await this.parse(Export)
    const { out, force } = flags
    const toFile = out !== undefined && out !== '-' ? out : undefined
    if (this.jsonEnabled() && !toFile)
      throw invalidFlag('--json', 'needs --out: the export itself goes to stdout')
    if (flags.encrypt && !toFile) throw invalidFlag('--encrypt', 'needs --out with the name of a file')
    if (toFile && !force && existsSync(toFile)) throw fileExists(toFile)
    const recipients = flags.encrypt ? await this.recipients() : []
    const source = await openExport(exportQuery(flags), this.globals)
    return toFile ? this.toFile(source, toFile, recipients) : exportToStdout(source)
  }

  /** @throws CliError `not_found` without a key. */
  private async recipients(): Promise<readonly string[]> {
    const { recipients } = await this.call('GET /api/workspace-key')
    if (recipients.length > 0) return recipients
    throw new CliError('this workspace has no key to encrypt with', {
      code: 'not_found',
      exit: 'notFound',
      nextSteps: ['memory key create'],
    })
  }

  private async toFile(source: AsyncIterable<Buffer>, file: string, recipients: readonly string[]) {
    const bar = startProgressBar()
    try {
      const onExported = (memories: number, total: number | undefined): void => {
        if (memories % 500 === 0) bar.update(`${memories} memories`, total ? memories / total : undefined)
      }
      const result = await exportToFile(source, file, { onExported, recipients })
      bar.stop()
      const { memories, events, bytes } = result
      if (!this.jsonEnabled())
        print(
          `Exported ${countOf(memories, 'memory', 'memories')} with ${countOf(events, 'change')} to ${file} (${formatBytes(bytes)})`,
        )
      return { file, ...result }
    } finally {
      bar.stop()
    }
  }
}

function fileExists(file: string): CliError {
  return new CliError(`${file} already exists`, {
    code: 'file_exists',
    exit: 'refused',
    nextSteps: ['choose another file', 'add --force to replace it'],
  })
}
