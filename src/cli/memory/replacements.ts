import type { Reply } from '../../contract/api.js'
import { formatAge } from '../../lib/time/age.js'
import { plainLine, wrapText } from '../terminal/text.js'
import type { RecordView } from './record.js'

export type LineageItem = Reply<'GET /api/memory/:id/lineage'>['lineage'][number]

/** Who replaced whom, newest first: what holds today, then each text with when and why it was replaced. */
export function replacementsText(items: readonly LineageItem[], { colors, width, now }: RecordView): string {
  return items
    .map(item => {
      const fate = item.supersededAt
        ? colors.yellow(`replaced ${formatAge(item.supersededAt, now)}`)
        : colors.green('current')
      const why = item.supersededReason ? `"${plainLine(item.supersededReason)}"` : ''
      const head = [colors.bold(item.id), colors.cyan(item.type), formatAge(item.createdAt, now), fate, why]
      const lines = wrapText(plainLine(item.content), width === undefined ? Infinity : width - 2)
      return [head.filter(Boolean).join('  '), ...lines.map(line => `  ${line}`)].join('\n')
    })
    .join('\n')
}
