import { Args } from '@oclif/core'
import { recordText } from '../cli/memory/record.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth, print } from '../cli/terminal/output.js'

export default class Get extends DaemonCommand {
  static override summary = 'Show a memory with all its fields.'
  static override examples = ['<%= config.bin %> get 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
  }

  async run() {
    const { id } = (await this.parse(Get)).args
    const memory = await this.call('GET /api/memory/:id', { params: { id } })
    if (this.jsonEnabled()) return memory
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    print(recordText(memory, { colors: colorsFor(), width, now: Date.now() }))
    return memory
  }
}
