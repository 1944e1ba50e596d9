import { Args } from '@oclif/core'
import { type Rejection, rejectionText } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print, printNote } from '../../cli/terminal/output.js'

export default class ImportsRejections extends DaemonCommand {
  static override summary = 'List the records that an import rejected, with reasons.'
  static override description =
    'One record per line: file, line and reason. The text of conversations is not shown.'
  static override examples = ['<%= config.bin %> imports rejections 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('import', Args.string({ description: 'Id of the import.', required: true, ignoreStdin: true })),
  }

  async run(): Promise<{ jobId: string; rejections: Rejection[]; count: number }> {
    const { args } = await this.parse(ImportsRejections)
    const all: Rejection[] = []
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page: { rejections: Rejection[]; nextCursor: string | null } = await this.call(
        'GET /api/sources/imports/:jobId/rejections',
        { params: { jobId: args.id }, query: { cursor } },
      )
      if (this.jsonEnabled()) all.push(...page.rejections)
      else for (const rejection of page.rejections) print(rejectionText(rejection))
      if (cursor === '0' && page.rejections.length === 0 && !this.jsonEnabled())
        printNote('No rejected records.')
      cursor = page.nextCursor
    }
    return { jobId: args.id, rejections: all, count: all.length }
  }
}
