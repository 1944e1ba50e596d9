import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { SourceCommand } from '../../cli/knowledge/sources/source-command.js'
import { removalLines } from '../../cli/knowledge/sources/source-text.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class SourcesRemove extends SourceCommand {
  static override summary = 'Forget a source and what was read of it; the place itself is not touched.'
  static override description =
    'On a terminal it shows what would go and what stays, and asks. Without one it needs --yes.'
  static override examples = [
    '<%= config.bin %> sources remove notevault:1f2e3d4c5b6a79880716253f',
    '<%= config.bin %> sources remove notevault:1f2e3d4c5b6a79880716253f --yes',
  ]
  static override args = {
    id: Args.string({ description: 'Id or name of the source.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/sources/:sourceId'>> {
    const { args, flags } = await this.parse(SourcesRemove)
    const id = await this.idOf(args.id)
    const nextSteps = [`memory sources show ${id} tells what was read of it`, 'add --yes to remove it']
    await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, async () => ({
      lines: removalLines(await this.source(id)),
      question: 'Remove it?',
    }))
    const removed = await this.call('DELETE /api/sources/:sourceId', { params: { sourceId: id } })
    const gone = countOf(removed.purged, 'artifact')
    if (!this.jsonEnabled())
      print(
        removed.pending
          ? `Removed; ${gone} gone so far, the rest goes in the background`
          : `Removed, with ${gone}`,
      )
    return removed
  }
}
