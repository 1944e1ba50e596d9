import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { fileWorkText, sessionLines, sessionTable } from '../../cli/sessions/session-table.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { inOrder, listFlags, listPage, printItems, sortFlag } from '../../cli/shell/list-output.js'
import { colorsFor, outputWidth, print, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsList extends DaemonCommand {
  static override summary = 'List sessions, live, past and imported, most recent first.'
  static override description =
    'The title is the first prompt of the person. A fork shows only what is new in it, and the session that ' +
    'it continues. A session is live until its coding agent ends it, or until no hook is called for four ' +
    'hours. When piped, prints one session per line with tab-separated fields: key, agent, harness, runtime ' +
    'path, bypassed, last seen, project, live or past, messages, saved memories, forked from, title.'
  static override examples = [
    '<%= config.bin %> sessions list',
    '<%= config.bin %> sessions list --live',
    '<%= config.bin %> sessions --file src/server.ts',
    '<%= config.bin %> sessions list --project /home/me/shop',
  ]
  static override flags = {
    live: Flags.boolean({ summary: 'Only live sessions.' }),
    file: Flags.string({
      summary: 'Only sessions that read or changed this file, with what was asked.',
      helpValue: 'PATH',
      exclusive: ['live', 'project'],
    }),
    ...listFlags,
    sort: sortFlag('changed', 'Order of the listed sessions: by start, or by last use.'),
    limit: Flags.integer({
      summary: 'Maximum number of sessions.',
      char: 'n',
      default: 100,
      min: 1,
      max: 500,
    }),
    project: projectFlag({ summary: 'Only sessions in this project.' }),
  }

  async run(): Promise<Reply<'GET /api/sessions'> | Reply<'GET /api/sessions/work'>> {
    const { flags } = await this.parse(SessionsList)
    if (flags.file !== undefined) return this.touching(resolve(flags.file))
    const { limit, project, live } = flags
    const found = await this.call('GET /api/sessions', { query: { limit, project, past: !live } })
    const sessions = inOrder(found.sessions, flags.sort, one => ({
      made: one.startedAt,
      changed: one.seenAt,
    }))
    const reply = { ...found, sessions }
    const page = listPage(reply.sessions, { total: reply.count })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags, 'key')) return reply
    this.keepRows(
      'session',
      reply.sessions.map(({ key }) => key),
    )
    if (reply.count === 0) await this.noteUnknownProject(project)
    if (reply.count === 0)
      printNote(
        live
          ? 'No live sessions. Next: start a connected agent (memory connect lists them), or memory sessions list'
          : 'No sessions. Next: start a connected agent (memory connect), or memory import transcripts --from claude-code',
      )
    else if (!process.stdout.isTTY) print(sessionLines(reply.sessions))
    else
      await printLong(
        sessionTable(await this.withProjectNames(reply.sessions), {
          colors: colorsFor(),
          now: Date.now(),
          columns: outputWidth(),
        }),
      )
    return reply
  }

  private async touching(file: string): Promise<Reply<'GET /api/sessions/work'>> {
    const reply = await this.call('GET /api/sessions/work', { query: { file } })
    if (this.jsonEnabled()) return reply
    if (reply.turns.length === 0) printNote(`No session is known to have used ${file}.`)
    else print(fileWorkText(reply, { colors: colorsFor(), now: Date.now() }))
    return reply
  }
}
