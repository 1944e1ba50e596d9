import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../../cli/consent/consent.js'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import { rowOf } from '../../../cli/shell/listed-rows.js'
import { unreadablePath } from '../../../cli/shell/unreadable-path.js'
import { print } from '../../../cli/terminal/output.js'
import { startSpinner } from '../../../cli/terminal/progress.js'
import { plainLine } from '../../../cli/terminal/text.js'
import { sendSnapshot } from '../../../client/stream.js'
import { countOf, formatBytes } from '../../../lib/text/count-of.js'

const maxBytes = 256 * 1024 * 1024

export default class SourcesSnapshotImport extends SourceCommand {
  static override summary = 'Replace everything read from a source with a snapshot.'
  static override description =
    'The source must be registered here and be of the same kind as the snapshot. Direct messages from a chat ' +
    "app's cache are kept as they are, and those in the snapshot are skipped, unless you give " +
    '--include-local-chat-cache.'
  static override examples = ['<%= config.bin %> sources snapshot import SOURCE vault.json']
  static override args = {
    source: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
    file: Args.string({ description: 'The snapshot file.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ char: 'y', summary: 'Skip confirmation.' }),
    'include-local-chat-cache': Flags.boolean({
      summary: 'Include direct messages from a local chat cache.',
    }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesSnapshotImport)
    const bytes = await sizeOf(args.file)
    const { agent } = this.globals
    const id = await this.idOf(args.source)
    const [yes, json] = [flags.yes ?? false, this.jsonEnabled()]
    await askAbout({ yes, json, nextSteps: ['add --yes to replace them'] }, async () => {
      const params = { sourceId: id }
      const source = await this.call('GET /api/sources/:sourceId', { params, query: { agentId: agent } })
      const lines = [
        `${plainLine(source.name)} (${source.id})`,
        `${countOf(source.stats.artifacts, 'artifact')} will be replaced with those in ${args.file} (${formatBytes(bytes)}).`,
        'The source itself is not touched; the next sync reads it again.',
      ]
      return { lines, question: 'Replace them?' }
    })
    const spinner = startSpinner('importing the snapshot')
    try {
      const content = createReadStream(args.file)
      const query = { agentId: agent, includeLocalChatCache: flags['include-local-chat-cache'] }
      const reply = await sendSnapshot(id, query, { content, bytes }, this.globals)
      spinner.stop()
      const left = reply.skipped > 0 ? `; ${countOf(reply.skipped, 'direct message')} skipped` : ''
      if (!json) print(`Imported ${countOf(reply.imported, 'artifact')} into ${id}${left}`)
      return reply
    } finally {
      spinner.stop()
    }
  }
}

/** @throws CliError `invalid_input` if it is not a file or too large. */
async function sizeOf(file: string): Promise<number> {
  const stats = await stat(file).catch((cause: unknown) => {
    throw unreadablePath(file, cause)
  })
  if (!stats.isFile()) throw invalidInput(`${file} is not a file`)
  if (stats.size > maxBytes) throw invalidInput(`${file} is larger than 256 MiB`)
  return stats.size
}

function invalidInput(message: string): CliError {
  return new CliError(message, { code: 'invalid_input', exit: 'usage' })
}
