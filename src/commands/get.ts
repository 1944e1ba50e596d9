import { Args } from '@oclif/core'
import { itemText, type OpenedItem } from '../cli/memory/items.js'
import { hereOf, projectFlag } from '../cli/memory/project-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'

export default class Get extends DaemonCommand {
  static override summary = 'Show a memory with all its fields, or anything else that memory search finds.'
  static override description =
    'A passage of a document or note is shown with its neighbours, a turn of a session with those around it, ' +
    'an entity with its facts, and a code symbol with its uses. --json prints the record of a memory; other ' +
    'things have their kind in the field "kind".'
  static override examples = [
    '<%= config.bin %> get 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> get code:src/pay.ts:charge',
  ]
  static override args = {
    id: rowOf(
      ['memory', 'item', 'entity'],
      Args.string({ description: 'Id, as memory search shows it.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    project: projectFlag({ summary: 'Project of a code symbol that several projects have.', char: 'p' }),
  }

  async run() {
    const { args, flags } = await this.parse(Get)
    const request = { params: { id: args.id }, query: { project: flags.project } }
    const item = await this.call('GET /api/items/:id', request, hereOf(flags))
    if (this.jsonEnabled()) return item.kind === 'memory' ? item.memory : item
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    await printLong(itemText(await this.named(item), { colors: colorsFor(), width, now: Date.now() }))
    return item
  }

  /** The item with the name of its project in place of its key. */
  private async named(item: OpenedItem): Promise<OpenedItem> {
    if (item.kind === 'memory') {
      const [memory = item.memory] = await this.withProjectNames([item.memory])
      return { ...item, memory }
    }
    if (item.kind === 'session') {
      const [session = item] = await this.withProjectNames([item])
      return session
    }
    return item
  }
}
