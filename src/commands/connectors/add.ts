import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { placeOf } from '../../cli/knowledge/connectors.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote, shownId } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import { locate } from '../../client/daemon/locate.js'
import type { Reply } from '../../contract/api.js'

export default class ConnectorsAdd extends DaemonCommand {
  static override summary = 'Add a folder whose documents are kept in sync.'
  static override description =
    'Nothing is read yet: run memory connectors sync for that. A folder that cannot be read is reported then.'
  static override examples = [
    '<%= config.bin %> connectors add ~/notes',
    '<%= config.bin %> connectors add docs --name Manual --pattern "**/*.md" --pattern "**/*.pdf" --ignore drafts',
  ]
  static override args = {
    path: Args.string({ description: 'Path of the folder.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    name: Flags.string({ summary: 'Display name (default: the name of the folder).', helpValue: 'TEXT' }),
    pattern: Flags.string({
      summary: 'Files to include; repeatable (default: **/*.md and **/*.txt).',
      helpValue: 'GLOB',
      multiple: true,
    }),
    ignore: Flags.string({
      summary: 'Names or paths to exclude; repeatable (default: .git, node_modules and .DS_Store).',
      helpValue: 'GLOB',
      multiple: true,
    }),
    'max-file-size': Flags.integer({
      summary: 'Skip larger files (default: 1048576).',
      helpValue: 'BYTES',
      min: 1,
    }),
  }

  async run(): Promise<Reply<'POST /api/connectors'>> {
    const { args, flags } = await this.parse(ConnectorsAdd)
    // A relative path is resolved here only if the daemon runs on this machine.
    const isRemote = locate(this.globals.workspace).kind === 'remote'
    const rootPath = isRemote ? args.path : resolve(args.path)
    if (!isRemote) await this.checkFolder(rootPath)
    await this.checkOthers(rootPath)
    const settings = {
      rootPath,
      ...(flags.pattern && { patterns: flags.pattern }),
      ...(flags.ignore && { ignorePatterns: flags.ignore }),
      ...(flags['max-file-size'] !== undefined && { maxFileSize: flags['max-file-size'] }),
    }
    const body = { provider: 'filesystem' as const, displayName: flags.name, settings }
    const reply = await this.call('POST /api/connectors', { body })
    if (!this.jsonEnabled()) print(shownId(reply.id))
    await this.afterAdd(reply.id)
    return reply
  }

  /** @throws CliError `conflict` if a connector has the folder; each would remove the other's documents */
  private async checkOthers(rootPath: string): Promise<void> {
    const { connectors } = await this.call('GET /api/connectors')
    const folder = await realpathOr(rootPath)
    for (const other of connectors) {
      if ((await realpathOr(placeOf(other))) !== folder) continue
      const { id, display_name: name } = other
      throw new CliError(`${plainLine(rootPath)} is connector ${id} already (${plainLine(name)})`, {
        code: 'conflict',
        exit: 'refused',
        nextSteps: [
          `memory connectors sync ${id} --wait   reads its changes`,
          `memory connectors remove ${id}   comes before other settings for it`,
        ],
      })
    }
  }

  /** A folder that is not there yet may be added: its first sync says so. */
  protected async checkFolder(_path: string): Promise<void> {}

  /** Says how to read the folder. */
  protected async afterAdd(id: string): Promise<void> {
    if (!this.jsonEnabled()) printNote(`Next: memory connectors sync ${id} --wait`)
  }
}

/** Returns the folder without links, or as it is named if it is not on this machine. */
async function realpathOr(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
