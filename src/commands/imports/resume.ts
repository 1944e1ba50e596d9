import { Args } from '@oclif/core'
import { changedText } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ImportsResume extends DaemonCommand {
  static override summary = 'Resume a paused import.'
  static override description = 'The import is queued behind earlier imports.'
  static override examples = ['<%= config.bin %> imports resume 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('import', Args.string({ description: 'Id of the import.', required: true, ignoreStdin: true })),
  }

  async run(): Promise<Reply<'POST /api/sources/imports/:jobId/resume'>> {
    const { args } = await this.parse(ImportsResume)
    const job = await this.call('POST /api/sources/imports/:jobId/resume', { params: { jobId: args.id } })
    if (!this.jsonEnabled()) print(changedText(job))
    return job
  }
}
