import type { Reply } from '../../contract/api.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'
import type { SessionView } from './black-box-text.js'

type Listed = Reply<'GET /api/sessions/summaries'>['summaries'][number]
type Expanded = Reply<'POST /api/sessions/summaries/expand'>

export function summaryTable(summaries: readonly Listed[], { colors, now, tabs }: SessionView): string {
  const rows = summaries.map(({ id, kind, depth, ends_at, session_key, project }) => [
    plainLine(id),
    kind,
    String(depth),
    tabs ? ends_at : formatShortAge(ends_at, now),
    plainLine(session_key ?? '-'),
    plainLine(project ?? '-'),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'KIND', 'DEPTH', 'END', 'SESSION', 'PROJECT'], rows, colors)
}

/** A summary with what stands above and below it, its memories and its conversation. */
export function summaryText(
  { node, parents, children, linkedMemories, transcript }: Expanded,
  { colors, now }: SessionView,
): string {
  const near = (nodes: readonly Expanded['node'][]) =>
    nodes.map(({ id, kind, ends_at }) => `  ${id}  ${kind}  ${formatAge(ends_at, now)}`)
  const memories = linkedMemories.map(({ id, content }) => `  ${id}  ${plainLine(content)}`)
  const part = (title: string, body: readonly string[]) =>
    body.length === 0 ? [] : [`${colors.bold(title)}\n${body.join('\n')}`]
  const content = node.content === '' ? `not shown: ${node.contentSafety}` : linesOf(node.content)
  const said = transcript ? [linesOf(transcript.excerpt)] : []
  return [
    [
      colors.bold(node.id),
      colors.cyan(node.kind),
      formatAge(node.ends_at, now),
      plainLine(node.project ?? '-'),
    ].join('  '),
    content,
    ...part('summed up by', near(parents)),
    ...part('sums up', near(children)),
    ...part('memories', memories),
    ...part('conversation', said),
  ].join('\n\n')
}

/** Stored text line by line, safe to print. */
function linesOf(text: string): string {
  return text.split('\n').map(plainLine).join('\n')
}
