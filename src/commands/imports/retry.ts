import { Args } from '@oclif/core'
import { changedText } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ImportsRetry extends DaemonCommand {
  static override summary = 'Retry an import that failed or was interrupted.'
  static override description = 'Continues after the conversations that are already imported.'
  static override examples = ['<%= config.bin %> imports retry 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('import', Args.string({ description: 'Id of the import.', required: true, ignoreStdin: true })),
  }

  async run(): Promise<Reply<'POST /api/sources/imports/:jobId/retry'>> {
    const { args } = await this.parse(ImportsRetry)
    const job = await this.call('POST /api/sources/imports/:jobId/retry', { params: { jobId: args.id } })
    if (!this.jsonEnabled()) print(changedText(job))
    return job
  }
}
