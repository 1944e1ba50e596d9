import { Args } from '@oclif/core'
import { SourceCommand } from '../../cli/knowledge/sources/source-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'

export default class SourcesPause extends SourceCommand {
  static override summary = 'Pause a source: stop reading it and following its changes until it is resumed.'
  static override examples = ['<%= config.bin %> sources pause notevault:1f2e3d4c5b6a79880716253f']
  static override args = {
    id: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
  }

  async run() {
    const { args } = await this.parse(SourcesPause)
    const id = await this.idOf(args.id)
    return this.printJob(await this.call('POST /api/sources/:sourceId/pause', { params: { sourceId: id } }))
  }
}
