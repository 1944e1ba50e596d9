import { Args } from '@oclif/core'
import { documentText } from '../../cli/knowledge/documents/document-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class DocumentsShow extends DaemonCommand {
  static override summary = 'Show a document: its origin, its status and the duration of each step.'
  static override examples = ['<%= config.bin %> documents show 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf(
      'document',
      Args.string({ description: 'Id of the document.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'GET /api/documents/:id'>> {
    const { args } = await this.parse(DocumentsShow)
    const document = await this.call('GET /api/documents/:id', { params: { id: args.id } })
    if (!this.jsonEnabled()) print(documentText(document, { colors: colorsFor(), now: Date.now() }))
    return document
  }
}
