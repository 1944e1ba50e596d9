import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/daemon-command.js'
import { historyText } from '../cli/memory-record.js'
import { colorsFor, outputWidth, print } from '../cli/output.js'

export default class History extends DaemonCommand {
  static override summary = 'Show every change of one memory, oldest first.'
  static override examples = ['<%= config.bin %> history 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    limit: Flags.integer({ summary: 'At most this many.', char: 'n', default: 200, min: 1, max: 1000 }),
  }

  async run() {
    const { args, flags } = await this.parse(History)
    const reply = await this.call('GET /api/memory/:id/history', {
      params: { id: args.id },
      query: { limit: flags.limit },
    })
    if (this.jsonEnabled()) return reply
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    print(historyText(reply.history, { colors: colorsFor(), width, now: Date.now() }))
    return reply
  }
}
