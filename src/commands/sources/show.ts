import { Args } from '@oclif/core'
import type { ShownConnector } from '../../cli/knowledge/connectors.js'
import type { ShownSource } from '../../cli/knowledge/sources/follow-source.js'
import { SourceCommand } from '../../cli/knowledge/sources/source-command.js'
import { sourceText } from '../../cli/knowledge/sources/source-text.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import ConnectorsShow from '../connectors/show.js'

export default class SourcesShow extends SourceCommand {
  static override summary = 'Show a source: what was read, its job and its health.'
  static override examples = ['<%= config.bin %> sources show notevault:1f2e3d4c5b6a79880716253f']
  static override args = {
    id: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<ShownSource | ShownConnector> {
    const { args } = await this.parse(SourcesShow)
    const folder = await this.folderIdOf(args.id)
    if (folder !== undefined) return this.runOther(ConnectorsShow, [folder])
    const id = await this.idOf(args.id)
    const source = await this.call('GET /api/sources/:sourceId', { params: { sourceId: id } })
    if (!this.jsonEnabled()) print(sourceText(source, { colors: colorsFor(), now: Date.now() }))
    return source
  }
}
