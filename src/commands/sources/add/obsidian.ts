import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { locate } from '../../../client/daemon/locate.js'

export default class SourcesAddObsidian extends SourceCommand {
  static override summary = 'Add the notes of an Obsidian vault as a source, and follow their changes.'
  static override description =
    'Notes and canvases are read and never modified. Hidden folders are skipped, including those of ' +
    'Obsidian, its trash and coding agents. Adding a vault again reads it again.'
  static override examples = [
    '<%= config.bin %> sources add obsidian ~/Notes --wait',
    '<%= config.bin %> sources add obsidian . --name Work --exclude "archive/**" --exclude "**/.*/**"',
  ]
  static override args = {
    path: Args.string({ description: 'Folder of the vault.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    name: Flags.string({ summary: 'Display name (default: the name of the folder).', helpValue: 'TEXT' }),
    exclude: Flags.string({
      summary: 'Paths to exclude; repeatable, replaces the default exclusions.',
      helpValue: 'GLOB',
      multiple: true,
    }),
    wait: Flags.boolean({ summary: 'Wait until it is read.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesAddObsidian)
    // A relative path is resolved here only if the daemon runs on this machine.
    const isRemote = locate(this.globals.workspace).kind === 'remote'
    const body = {
      path: isRemote ? args.path : resolve(args.path),
      ...(flags.name && { name: flags.name }),
      ...(flags.exclude && { excludeGlobs: flags.exclude }),
      ...(this.globals.agent && { agentId: this.globals.agent }),
    }
    return this.printAdded(await this.call('POST /api/sources/notevault', { body }), flags)
  }
}
