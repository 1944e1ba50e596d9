import { Args, Flags } from '@oclif/core'
import { projectFlag } from '../../cli/memory/project-flags.js'
import type { SessionView } from '../../cli/sessions/blackbox.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, formatTable, print, printNote, shownId } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'
import { shortNameOf } from '../../lib/text/names.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'

type SummaryRow = Reply<'GET /api/sessions/summaries'>['summaries'][number]

type SummaryDetail = Reply<'POST /api/sessions/summaries/expand'>

export default class SessionsSummaries extends DaemonCommand {
  static override summary = 'List summaries of sessions, newest first, or show one with its sources.'
  static override description =
    'A summary is the beginning of a recorded session, or text that a coding agent wrote when it compacted ' +
    'one. When piped, the list prints one summary per line with tab-separated fields: id, kind, depth, end, ' +
    'session, project.'
  static override examples = [
    '<%= config.bin %> sessions summaries',
    '<%= config.bin %> sessions summaries 0198c0de-0000-7000-8000-000000000001 --transcript',
  ]
  static override args = {
    id: rowOf('summary', Args.string({ description: 'Id of the summary to show.', ignoreStdin: true })),
  }
  static override flags = {
    ...listFlags,
    limit: Flags.integer({
      summary: 'Maximum number of summaries.',
      char: 'n',
      default: 50,
      min: 1,
      max: 500,
    }),
    project: projectFlag({ summary: 'Only summaries of this project.' }),
    transcript: Flags.boolean({ summary: 'Also show the beginning of the conversation.' }),
  }

  async run(): Promise<Reply<'GET /api/sessions/summaries'> | Reply<'POST /api/sessions/summaries/expand'>> {
    const { args, flags } = await this.parse(SessionsSummaries)
    const view = { colors: colorsFor(), now: Date.now(), tabs: !process.stdout.isTTY }
    if (args.id !== undefined) {
      const expanded = await this.call('POST /api/sessions/summaries/expand', {
        body: { id: args.id, includeTranscript: flags.transcript },
      })
      if (this.jsonEnabled()) return expanded
      const [node = expanded.node] = await this.withProjectNames([expanded.node])
      print(summaryText({ ...expanded, node }, view))
      return expanded
    }
    const { limit, project } = flags
    const reply = await this.call('GET /api/sessions/summaries', { query: { limit, project } })
    if (reply.summaries.length === 0) await this.noteUnknownProject(project)
    const page = listPage(reply.summaries, { total: null })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'summary',
      reply.summaries.map(({ id }) => id),
    )
    if (reply.count === 0) printNote('No summaries yet. They are created when sessions end or are compacted.')
    else print(summaryTable(view.tabs ? reply.summaries : await this.withProjectNames(reply.summaries), view))
    return reply
  }
}

function summaryTable(summaries: readonly SummaryRow[], { colors, now, tabs }: SessionView): string {
  const rows = summaries.map(({ id, kind, depth, ends_at, session_key, project }) => [
    plainLine(tabs ? id : shortId(id)),
    kind,
    String(depth),
    tabs ? ends_at : formatShortAge(ends_at, now),
    plainLine(tabs ? (session_key ?? '-') : shortId(session_key ?? '-')),
    plainLine(tabs ? (project ?? '-') : shortNameOf(project ?? '-')),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'KIND', 'DEPTH', 'END', 'SESSION', 'PROJECT'], rows, colors)
}

/** Formats a summary with its parents and children, its memories and its conversation. */
function summaryText(
  { node, parents, children, linkedMemories, transcript }: SummaryDetail,
  { colors, now }: SessionView,
): string {
  const near = (nodes: readonly SummaryDetail['node'][]) =>
    nodes.map(({ id, kind, ends_at }) => `  ${shownId(id)}  ${kind}  ${formatAge(ends_at, now)}`)
  const memories = linkedMemories.map(({ id, content }) => `  ${shownId(id)}  ${plainLine(content)}`)
  const part = (title: string, body: readonly string[]) =>
    body.length === 0 ? [] : [`${colors.bold(title)}\n${body.join('\n')}`]
  const content = node.content === '' ? `hidden: ${node.contentSafety}` : linesOf(node.content)
  const said = transcript ? [linesOf(transcript.excerpt)] : []
  return [
    [
      colors.bold(node.id),
      colors.cyan(node.kind),
      formatAge(node.ends_at, now),
      plainLine(shortNameOf(node.project ?? '-')),
    ].join('  '),
    content,
    ...part('summarised by', near(parents)),
    ...part('summarises', near(children)),
    ...part('memories', memories),
    ...part('conversation', said),
  ].join('\n\n')
}

/** Makes stored text safe to print, line by line. */
function linesOf(text: string): string {
  return text.split('\n').map(plainLine).join('\n')
}
