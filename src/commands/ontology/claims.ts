import { Args } from '@oclif/core'
import { claimsTable } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class OntologyClaims extends DaemonCommand {
  static override summary = 'Show the facts drawn from a memory, including earlier values.'
  static override description =
    'When piped, prints one fact per line with tab-separated fields: id, entity, claim, value, status, quote.'
  static override examples = ['<%= config.bin %> ontology claims 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    memory: rowOf(
      'memory',
      Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'GET /api/ontology/memories/:id/claims'>> {
    const { args } = await this.parse(OntologyClaims)
    const params = { id: args.memory }
    const reply = await this.call('GET /api/ontology/memories/:id/claims', { params })
    // The daemon answers alike for a memory without facts and for none.
    if (reply.claims.length === 0) await this.call('GET /api/memory/:id', { params })
    if (this.jsonEnabled()) return reply
    const tabs = process.stdout.isTTY !== true
    if (reply.claims.length > 0) print(claimsTable(reply, { colors: colorsFor(), tabs }))
    const more = reply.truncated ? ' (newest only)' : ''
    printNote(colorsFor(process.stderr).dim(`${countOf(reply.claims.length, 'fact')}${more}`))
    return reply
  }
}
