import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../../cli/consent/consent.js'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import { unreadablePath } from '../../../cli/shell/unreadable-path.js'
import { print } from '../../../cli/terminal/output.js'
import { startSpinner } from '../../../cli/terminal/spinner.js'
import { plainLine } from '../../../cli/terminal/text.js'
import { sendSnapshot } from '../../../client/stream.js'
import { countOf } from '../../../lib/text/count-of.js'
import { formatBytes } from '../../../lib/text/format-bytes.js'

const maxBytes = 256 * 1024 * 1024

export default class SourcesSnapshotImport extends SourceCommand {
  static override summary = 'Replace what was read of a source by a snapshot.'
  static override description =
    'The source has to be registered here, and of the kind of the snapshot. Direct messages from the cache of a chat ' +
    'program stay as they are here, and those of the snapshot are left out, unless you ask for them.'
  static override examples = ['<%= config.bin %> sources snapshot import SOURCE vault.json']
  static override args = {
    source: Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    file: Args.string({ description: 'A snapshot.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ char: 'y', summary: 'Do not ask.' }),
    'include-local-chat-cache': Flags.boolean({ summary: 'With direct messages of a local chat cache.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesSnapshotImport)
    const bytes = await sizeOf(args.file)
    const { agent } = this.globals
    const id = await this.idOf(args.source)
    const [yes, json] = [flags.yes ?? false, this.jsonEnabled()]
    await askAbout({ yes, json, nextSteps: ['add --yes'] }, async () => {
      const params = { sourceId: id }
      const source = await this.call('GET /api/sources/:sourceId', { params, query: { agentId: agent } })
      const lines = [
        `${plainLine(source.name)} (${source.id})`,
        `${countOf(source.stats.artifacts, 'artifact')} would be replaced by those of ${args.file} (${formatBytes(bytes)}).`,
        'The source itself is not touched; the next sync reads it again.',
      ]
      return { lines, question: 'Replace them?' }
    })
    const spinner = startSpinner('bringing the snapshot in')
    try {
      const content = createReadStream(args.file)
      const query = { agentId: agent, includeLocalChatCache: flags['include-local-chat-cache'] }
      const reply = await sendSnapshot(id, query, { content, bytes }, this.globals)
      spinner.stop()
      const left = reply.skipped > 0 ? `; ${countOf(reply.skipped, 'direct message')} left out` : ''
      if (!json) print(`Imported ${countOf(reply.imported, 'artifact')} into ${id}${left}`)
      return reply
    } finally {
      spinner.stop()
    }
  }
}

/** @throws CliError `invalid_input` for what is no file, or too large a one. */
async function sizeOf(file: string): Promise<number> {
  const stats = await stat(file).catch((cause: unknown) => {
    throw unreadablePath(file, cause)
  })
  if (!stats.isFile()) throw wrong(`${file} is no file`)
  if (stats.size > maxBytes) throw wrong(`${file} is larger than 256 MiB`)
  return stats.size
}

function wrong(message: string): CliError {
  return new CliError(message, { code: 'invalid_input', exit: 'usage' })
}
