import { Args } from '@oclif/core'
import { chunksText } from '../../cli/knowledge/documents/document-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class DocumentsChunks extends DaemonCommand {
  static override summary = 'Print the passages of a document in order.'
  static override examples = ['<%= config.bin %> documents chunks 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf(
      'document',
      Args.string({ description: 'Id of the document.', required: true, ignoreStdin: true }),
    ),
  }

  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/documents/:id/chunks'>> {
    const { args, flags } = await this.parse(DocumentsChunks)
    const reply = await this.call('GET /api/documents/:id/chunks', { params: { id: args.id } })
    const page = listPage(reply.chunks, { total: reply.count })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    if (reply.count === 0) printNote('The document has no passages.')
    else print(chunksText(reply.chunks, colorsFor()))
    return reply
  }
}
