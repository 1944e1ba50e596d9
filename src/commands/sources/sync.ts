import { Args, Flags } from '@oclif/core'
import { SourceCommand } from '../../cli/knowledge/sources/source-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import ConnectorsSync from '../connectors/sync.js'

export default class SourcesSync extends SourceCommand {
  static override summary = 'Read a source again now.'
  static override description =
    'Unchanged content is skipped unless you give --full. Most sources are also read automatically, as far ' +
    'as their kind allows.'
  static override examples = ['<%= config.bin %> sources sync notevault:1f2e3d4c5b6a79880716253f --wait']
  static override args = {
    id: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    full: Flags.boolean({ summary: 'Also read content that looks unchanged.' }),
    wait: Flags.boolean({ summary: 'Wait until the source is read.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesSync)
    const folder = await this.folderIdOf(args.id)
    if (folder !== undefined)
      return this.runOther(ConnectorsSync, [
        folder,
        ...(flags.full ? ['--full', '--yes'] : []),
        ...(flags.wait ? ['--wait'] : []),
      ])
    const id = await this.idOf(args.id)
    const request = { params: { sourceId: id }, body: { full: flags.full } }
    const started = await this.call('POST /api/sources/:sourceId/sync', request)
    return flags.wait ? this.waitFor(id) : this.printJob(started)
  }
}
