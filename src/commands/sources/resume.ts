import { Args } from '@oclif/core'
import { SourceCommand } from '../../cli/knowledge/sources/source-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'

export default class SourcesResume extends SourceCommand {
  static override summary = 'Resume a paused source where it stopped.'
  static override examples = ['<%= config.bin %> sources resume notevault:1f2e3d4c5b6a79880716253f']
  static override args = {
    id: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
  }

  async run() {
    const { args } = await this.parse(SourcesResume)
    const id = await this.idOf(args.id)
    return this.printJob(await this.call('POST /api/sources/:sourceId/resume', { params: { sourceId: id } }))
  }
}
