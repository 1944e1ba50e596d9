import type { Reply } from '../../contract/api.js'
import { formatAge } from '../../lib/time/age.js'
import { highlight, queryStems } from '../memory/highlight.js'
import type { ResultView } from '../memory/recall-results.js'
import { plainLine, wrapText } from '../terminal/text.js'

const indent = '    '

/** Sessions that answer a query, best first: age, project and key, then the passage with the words of the query marked. */
export function sessionHits(
  { query, hits }: Reply<'POST /api/sessions/search'>,
  { colors, width, now }: Pick<ResultView, 'colors' | 'width' | 'now'>,
): string {
  const stems = queryStems(query)
  return hits
    .map(({ rank, sessionKey, project, updatedAt, excerpt }) => {
      const head = [
        colors.dim(String(rank).padStart(2)),
        formatAge(updatedAt, now),
        ...(project === null ? [] : [colors.cyan(project)]),
        colors.dim(sessionKey),
      ]
      const text = plainLine(excerpt)
      const lines = width === undefined ? [text] : wrapText(text, width - indent.length)
      return [
        head.join('  '),
        ...lines.map(line => indent + highlight(line, stems, word => colors.bold(colors.yellow(word)))),
      ].join('\n')
    })
    .join('\n\n')
}
