import { Args, Flags } from '@oclif/core'
import { changeEntity } from '../../cli/knowledge/ontology/change-entity.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyAlias extends DaemonCommand {
  static override summary = 'Give an entity another name, or remove one.'
  static override examples = [
    '<%= config.bin %> ontology alias "Ann Keller" AK',
    '<%= config.bin %> ontology alias "Ann Keller" AK --remove',
  ]
  static override args = {
    entity: rowOf(
      'entity',
      Args.string({ description: 'Id, name or alias of the entity.', required: true, ignoreStdin: true }),
    ),
    alias: Args.string({ description: 'The other name.', required: true, ignoreStdin: true }),
  }
  static override flags = { remove: Flags.boolean({ summary: 'Remove the alias.' }) }

  async run(): Promise<Reply<'POST /api/ontology/operations'>['results'][number]> {
    const { args, flags } = await this.parse(OntologyAlias)
    const request = changeEntity(flags.remove ? 'retire_alias' : 'add_alias', {
      entity: args.entity,
      alias: args.alias,
    })
    const result = request.result(await this.call('POST /api/ontology/operations', request.body))
    if (!this.jsonEnabled())
      print(`${flags.remove ? 'Removed' : 'Added'}; memory review --undo takes it back`)
    return result
  }
}
