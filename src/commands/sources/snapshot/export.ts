import { existsSync } from 'node:fs'
import { Args, Flags } from '@oclif/core'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { invalidFlag } from '../../../cli/memory/flags.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import { rowOf } from '../../../cli/shell/listed-rows.js'
import { writeToStdout, writeWholeFile } from '../../../cli/shell/write-whole-file.js'
import { print } from '../../../cli/terminal/output.js'
import { type ProgressBar, startProgressBar } from '../../../cli/terminal/progress.js'
import { openSnapshot } from '../../../client/stream.js'
import { formatBytes } from '../../../lib/text/count-of.js'

export default class SourcesSnapshotExport extends SourceCommand {
  static override summary = 'Export everything read from a source to a file.'
  static override description =
    'Writes one JSON file with the text of every artifact, readable only by you. To load it: memory sources ' +
    "snapshot import. Direct messages from a chat app's cache are included only with " +
    '--include-local-chat-cache.'
  static override examples = [
    '<%= config.bin %> sources snapshot export SOURCE --out vault.json',
    '<%= config.bin %> sources snapshot export SOURCE | gzip > vault.json.gz',
  ]
  static override args = {
    source: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    out: Flags.string({ summary: 'The file to write (default: stdout, also with -).', helpValue: 'FILE' }),
    force: Flags.boolean({ summary: 'Replace the file if it exists.' }),
    'include-local-chat-cache': Flags.boolean({
      summary: 'Include direct messages from a local chat cache.',
    }),
  }

  async run(): Promise<{ file: string; bytes: number } | undefined> {
    const { args, flags } = await this.parse(SourcesSnapshotExport)
    const file = flags.out === '-' ? undefined : flags.out
    if (this.jsonEnabled() && !file)
      throw invalidFlag('--json', 'needs --out: the snapshot itself goes to stdout')
    if (file && !flags.force && existsSync(file))
      throw new CliError(`${file} already exists; add --force to replace it`, {
        code: 'file_exists',
        exit: 'refused',
      })
    const id = await this.idOf(args.source)
    const content = await openSnapshot(
      id,
      { agentId: this.globals.agent, includeLocalChatCache: flags['include-local-chat-cache'] },
      this.globals,
    )
    if (!file) {
      await writeToStdout(content)
      return undefined
    }
    const bar = startProgressBar()
    try {
      const progress = { bytes: 0 }
      await writeWholeFile(counted(content, progress, bar), file)
      const { bytes } = progress
      bar.stop()
      if (!this.jsonEnabled()) print(`Exported ${id} to ${file} (${formatBytes(bytes)})`)
      return { file, bytes }
    } finally {
      bar.stop()
    }
  }
}

async function* counted(content: AsyncIterable<Buffer>, progress: { bytes: number }, bar: ProgressBar) {
  for await (const chunk of content) {
    progress.bytes += chunk.length
    bar.update(`${formatBytes(progress.bytes)} progress`)
    yield chunk
  }
}
