import type { Reply } from '../../contract/api.js'
import type { DreamPass } from '../../contract/knowledge/dreaming.js'
import { countOf } from '../../lib/text/count-of.js'
import { type Colors, formatFields, onTerminal } from '../terminal/output.js'

export type DreamStatus = Reply<'GET /api/dream/status'>

/** The state of Dreaming for a person. */
export function dreamText(status: DreamStatus, colors: Colors): string {
  const { mode, enabled, schedule, reader, running, queue, budget, nextAt, passes } = status
  const waiting = Object.entries(queue).map(([kind, count]) => `${count} ${kind}`)
  const fields = formatFields(
    [
      ['mode', enabled ? mode : `${mode}, off (dreaming.enabled)`],
      ['reader', reader],
      ['schedule', `${schedule}${nextAt === null ? '' : `, next at ${nextAt}`}`],
      ['running', running ? 'yes' : 'no'],
      ['waiting', waiting.length > 0 ? waiting.join(', ') : 'nothing'],
      ['tokens', `${budget.spentToday} of ${budget.perDay} today, ${budget.perPass} a pass`],
    ],
    colors,
  )
  const lines = passes.flatMap(pass => onTerminal(`  ${passLine(pass)}`))
  return [fields, ...lines].join('\n')
}

/** What one pass did, in one line. */
export function passLine(pass: DreamPass): string {
  const { counts, outcome, outcomeCode, startedAt } = pass
  const why = outcomeCode === null ? '' : ` (${outcomeCode})`
  const applied = counts['operations.applied'] ?? 0
  const asked = (counts['operations.proposed'] ?? 0) + (counts['operations.blocked'] ?? 0)
  const read = countOf(counts.pieces ?? 0, 'piece')
  return `${startedAt}  ${outcome}${why}: ${read} read, ${applied} applied, ${asked} for you to decide`
}
