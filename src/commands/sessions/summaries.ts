import { Args, Flags } from '@oclif/core'
import { summaryTable, summaryText } from '../../cli/sessions/summary-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsSummaries extends DaemonCommand {
  static override summary =
    'List what sums up sessions, newest first, or show one of them with what it is made from.'
  static override description =
    'A summary is the head of a captured session or what a harness wrote when it compacted one. In a pipe the list is ' +
    'one line a summary with tab-separated fields: id, kind, depth, end, session, project.'
  static override examples = [
    '<%= config.bin %> sessions summaries',
    '<%= config.bin %> sessions summaries 0198c0de-0000-7000-8000-000000000001 --transcript',
  ]
  static override args = {
    id: Args.string({ description: 'Id of the summary to show.', ignoreStdin: true }),
  }
  static override flags = {
    limit: Flags.integer({ summary: 'At most this many.', char: 'n', default: 50, min: 1, max: 500 }),
    project: Flags.string({ summary: 'Only summaries of this project.' }),
    transcript: Flags.boolean({ summary: 'With the beginning of its conversation.' }),
  }

  async run(): Promise<Reply<'GET /api/sessions/summaries'> | Reply<'POST /api/sessions/summaries/expand'>> {
    const { args, flags } = await this.parse(SessionsSummaries)
    const view = { colors: colorsFor(), now: Date.now(), tabs: !process.stdout.isTTY }
    if (args.id !== undefined) {
      const expanded = await this.call('POST /api/sessions/summaries/expand', {
        body: { id: args.id, includeTranscript: flags.transcript },
      })
      if (!this.jsonEnabled()) print(summaryText(expanded, view))
      return expanded
    }
    const { limit, project } = flags
    const reply = await this.call('GET /api/sessions/summaries', { query: { limit, project } })
    if (this.jsonEnabled()) return reply
    if (reply.count === 0) printNote('No summaries yet: they come when sessions end or are compacted.')
    else print(summaryTable(reply.summaries, view))
    return reply
  }
}
