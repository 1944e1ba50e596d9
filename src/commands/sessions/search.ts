import { Flags } from '@oclif/core'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { sessionHits } from '../../cli/sessions/session-table.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { queryArgument, queryOf } from '../../cli/shell/query-argument.js'
import { colorsFor, outputWidth, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsSearch extends DaemonCommand {
  static override summary = 'Search past sessions.'
  static override description =
    'Prints the best sessions first: time, project, and the matching passage with the query words ' +
    'highlighted. The exit code is 0 even if nothing is found.'
  static override examples = [
    '<%= config.bin %> sessions search how did we fix the rounding',
    '<%= config.bin %> sessions search deploy --project /work/api --json',
  ]
  static override args = queryArgument
  static override flags = {
    session: Flags.string({ summary: 'Only this session.', helpValue: 'KEY' }),
    project: projectFlag({ summary: 'Only sessions in this project.' }),
    limit: Flags.integer({ summary: 'Maximum number of sessions.', char: 'n', default: 10, min: 1, max: 20 }),
  }

  async run(): Promise<Reply<'POST /api/sessions/search'>> {
    const { args, flags } = await this.parse(SessionsSearch)
    const query = queryOf(args)
    const { session: sessionKey, project, limit } = flags
    const reply = await this.call('POST /api/sessions/search', {
      body: { query, sessionKey, project, limit },
    })
    if (this.jsonEnabled()) return reply
    this.keepRows(
      'session',
      reply.hits.map(({ sessionKey }) => sessionKey),
    )
    if (reply.hits.length === 0) printNote('No matching sessions found.')
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    const hits = width === undefined ? reply.hits : await this.withProjectNames(reply.hits)
    if (reply.hits.length > 0)
      await printLong(sessionHits({ ...reply, hits }, { colors: colorsFor(), width, now: Date.now() }))
    else await this.noteUnknownProject(flags.project)
    return reply
  }
}
