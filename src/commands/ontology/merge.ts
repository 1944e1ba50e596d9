import { Args } from '@oclif/core'
import { changeEntity } from '../../cli/knowledge/ontology/change-entity.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyMerge extends DaemonCommand {
  static override summary = 'Merge one entity into another; its names become aliases.'
  static override examples = ['<%= config.bin %> ontology merge "A. Keller" "Ann Keller"']
  static override args = {
    from: rowOf(
      'entity',
      Args.string({ description: 'Entity that ends.', required: true, ignoreStdin: true }),
    ),
    into: rowOf(
      'entity',
      Args.string({ description: 'Entity that stays.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'POST /api/ontology/operations'>['results'][number]> {
    const { args } = await this.parse(OntologyMerge)
    const request = changeEntity('merge_entities', { from: args.from, into: args.into })
    const result = request.result(await this.call('POST /api/ontology/operations', request.body))
    if (!this.jsonEnabled()) print('Merged; memory review --undo takes it back')
    return result
  }
}
