import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { SourceCommand } from '../../cli/knowledge/sources/source-command.js'
import { removalLines } from '../../cli/knowledge/sources/source-text.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import ConnectorsRemove from '../connectors/remove.js'

export default class SourcesRemove extends SourceCommand {
  static override summary = 'Remove a source and everything read from it; the source itself is not touched.'
  static override description =
    'Shows what will be deleted and what is kept, and asks for confirmation; without a terminal, --yes is ' +
    'required.'
  static override examples = [
    '<%= config.bin %> sources remove notevault:1f2e3d4c5b6a79880716253f',
    '<%= config.bin %> sources remove notevault:1f2e3d4c5b6a79880716253f --yes',
  ]
  static override args = {
    id: rowOf(
      'source',
      Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/sources/:sourceId'> | Reply<'DELETE /api/connectors/:id'>> {
    const { args, flags } = await this.parse(SourcesRemove)
    const folder = await this.folderIdOf(args.id)
    if (folder !== undefined)
      return this.runOther(ConnectorsRemove, [folder, '--cascade', ...(flags.yes ? ['--yes'] : [])])
    const id = await this.idOf(args.id)
    const nextSteps = [`memory sources show ${id}   shows what was read from it`, 'add --yes to remove it']
    await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, async () => ({
      lines: removalLines(await this.source(id)),
      question: 'Remove the source?',
    }))
    const removed = await this.call('DELETE /api/sources/:sourceId', { params: { sourceId: id } })
    const gone = countOf(removed.purged, 'artifact')
    if (!this.jsonEnabled())
      print(
        removed.pending
          ? `Removed the source; ${gone} deleted so far, the rest follows in the background`
          : `Removed the source and ${gone}`,
      )
    return removed
  }
}
