import { Args, Flags } from '@oclif/core'
import { changeEntity } from '../../cli/knowledge/ontology/change-entity.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologySplit extends DaemonCommand {
  static override summary = 'Split an entity in two: a new one gets some of its facts and aliases.'
  static override description =
    'Ids of facts and relations are in the output of memory about NAME --json and memory ontology show NAME --json.'
  static override examples = [
    '<%= config.bin %> ontology split Ann "Ann Berg" --fact 0198c0de-0000-7000-8000-000000000001',
  ]
  static override args = {
    entity: rowOf(
      'entity',
      Args.string({ description: 'Entity to split.', required: true, ignoreStdin: true }),
    ),
    name: Args.string({ description: 'Name of the new entity.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    fact: Flags.string({ summary: 'Fact or relation to move.', multiple: true, helpValue: 'ID' }),
    alias: Flags.string({ summary: 'Alias of the new entity.', multiple: true, helpValue: 'NAME' }),
    type: Flags.string({ summary: 'Type of the new entity (default: the same).' }),
  }

  async run(): Promise<Reply<'POST /api/ontology/operations'>['results'][number]> {
    const { args, flags } = await this.parse(OntologySplit)
    const request = changeEntity('split_entity', {
      entity: args.entity,
      name: args.name,
      type: flags.type,
      aliases: flags.alias,
      facts: flags.fact,
    })
    const result = request.result(await this.call('POST /api/ontology/operations', request.body))
    if (!this.jsonEnabled()) print('Split; memory review --undo takes it back')
    return result
  }
}
