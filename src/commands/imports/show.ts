import { Args } from '@oclif/core'
import { importDetailsText } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ImportsShow extends DaemonCommand {
  static override summary = 'Show an import with its files and counts.'
  static override examples = ['<%= config.bin %> imports show 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('import', Args.string({ description: 'Id of the import.', required: true, ignoreStdin: true })),
  }

  async run(): Promise<Reply<'GET /api/sources/imports/:jobId'>> {
    const { args } = await this.parse(ImportsShow)
    const job = await this.call('GET /api/sources/imports/:jobId', { params: { jobId: args.id } })
    if (!this.jsonEnabled()) print(importDetailsText(job, colorsFor()))
    return job
  }
}
