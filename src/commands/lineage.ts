import { Args, Flags } from '@oclif/core'
import { replacementsText } from '../cli/memory/record.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'

export default class Lineage extends DaemonCommand {
  static override summary = 'Show the memories that replaced a memory, newest first.'
  static override examples = ['<%= config.bin %> lineage 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
  }
  static override flags = {
    limit: Flags.integer({
      summary: 'Maximum number of memories.',
      char: 'n',
      default: 50,
      min: 1,
      max: 500,
    }),
  }

  async run() {
    const { args, flags } = await this.parse(Lineage)
    const reply = await this.call('GET /api/memory/:id/lineage', {
      params: { id: args.id },
      query: { limit: flags.limit },
    })
    if (this.jsonEnabled()) return reply
    this.keepRows(
      'memory',
      reply.lineage.map(({ id }) => id),
    )
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    await printLong(replacementsText(reply.lineage, { colors: colorsFor(), width, now: Date.now() }))
    return reply
  }
}
