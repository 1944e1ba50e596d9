import { Args } from '@oclif/core'
import { type Rejection, rejectionText } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print, printNote } from '../../cli/terminal/output.js'

export default class ImportsRejections extends DaemonCommand {
  static override summary = 'List the records that an import rejected, with reasons.'
  static override description =
    'One record per line: file, line and reason. The text of conversations is not shown. ' +
    'With -q it prints file and line.'
  static override examples = ['<%= config.bin %> imports rejections 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('import', Args.string({ description: 'Id of the import.', required: true, ignoreStdin: true })),
  }

  static override flags = listFlags

  async run(): Promise<{ jobId: string; rejections: Rejection[]; count: number }> {
    const { args, flags } = await this.parse(ImportsRejections)
    const all: Rejection[] = []
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page: { rejections: Rejection[]; nextCursor: string | null } = await this.call(
        'GET /api/sources/imports/:jobId/rejections',
        { params: { jobId: args.id }, query: { cursor } },
      )
      if (this.jsonEnabled()) all.push(...page.rejections)
      else this.printPage(page.rejections, flags, cursor === '0')
      cursor = page.nextCursor
    }
    return { jobId: args.id, rejections: all, count: all.length, ...listPage(all, { total: all.length }) }
  }

  private printPage(
    rejections: readonly Rejection[],
    flags: Parameters<typeof printItems>[1],
    isFirst: boolean,
  ): void {
    // A rejected record has no id of its own.
    const named = rejections.map(one => ({ id: `${one.fileId}:${one.line}`, ...one }))
    if (printItems(listPage(named, { total: null }), flags)) return
    for (const rejection of rejections) print(rejectionText(rejection))
    if (isFirst && rejections.length === 0) printNote('No rejected records.')
  }
}
