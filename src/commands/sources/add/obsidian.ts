import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { locate } from '../../../client/daemon/locate.js'

export default class SourcesAddObsidian extends SourceCommand {
  static override summary = 'Read the notes of an Obsidian vault, and follow their changes.'
  static override description =
    'Notes and canvases are read, never written. Hidden folders are left out, among them those of Obsidian, its trash and ' +
    'coding agents. A vault that is there already is read again.'
  static override examples = [
    '<%= config.bin %> sources add obsidian ~/Notes --wait',
    '<%= config.bin %> sources add obsidian . --name Work --exclude "archive/**" --exclude "**/.*/**"',
  ]
  static override args = {
    path: Args.string({ description: 'The folder of the vault.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    name: Flags.string({ summary: 'What to call it (default: the name of the folder).', helpValue: 'TEXT' }),
    exclude: Flags.string({
      summary: 'Paths to leave out, may be given several times; takes the place of the usual ones.',
      helpValue: 'GLOB',
      multiple: true,
    }),
    wait: Flags.boolean({ summary: 'Wait until it is read.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesAddObsidian)
    // A path on another machine is as its owner wrote it.
    const isRemote = locate(this.globals.workspace).kind === 'remote'
    const body = {
      path: isRemote ? args.path : resolve(args.path),
      ...(flags.name && { name: flags.name }),
      ...(flags.exclude && { excludeGlobs: flags.exclude }),
      ...(this.globals.agent && { agentId: this.globals.agent }),
    }
    return this.tellAdded(await this.call('POST /api/sources/notevault', { body }), flags)
  }
}
