import { Args, Flags } from '@oclif/core'
import { historyText } from '../cli/memory/record.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth, printNote } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import type { Reply } from '../contract/api.js'

export default class History extends DaemonCommand {
  static override summary = 'Show the changes of a memory, oldest first.'
  static override description =
    'A long history is split into pages. The offset of the next page is printed on stderr, and is nextOffset ' +
    'in JSON.'
  static override examples = [
    '<%= config.bin %> history 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> history 0198c0de-0000-7000-8000-000000000001 --offset 200',
  ]
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
  }
  static override flags = {
    limit: Flags.integer({
      summary: 'Maximum number of changes.',
      char: 'n',
      default: 200,
      min: 1,
      max: 1000,
    }),
    offset: Flags.integer({
      summary: 'Number of oldest changes to skip.',
      default: 0,
      min: 0,
      max: 10_000_000,
    }),
  }

  async run() {
    const { args, flags } = await this.parse(History)
    const reply = await this.call('GET /api/memory/:id/history', {
      params: { id: args.id },
      query: { limit: flags.limit, offset: flags.offset },
    })
    if (this.jsonEnabled()) return reply
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    if (reply.count > 0)
      await printLong(historyText(reply.history, { colors: colorsFor(), width, now: Date.now() }))
    const note = footer(flags.offset, reply)
    if (note) printNote(colorsFor(process.stderr).dim(note))
    return reply
  }
}

/** Describes omitted events; undefined for a complete history. */
function footer(
  offset: number,
  { count, nextOffset }: Reply<'GET /api/memory/:id/history'>,
): string | undefined {
  if (count === 0) return `No changes after ${offset}`
  if (nextOffset !== undefined) return `${offset + 1}-${offset + count}, next: --offset ${nextOffset}`
  return undefined
}
