import type { Reply } from '../../contract/api.js'
import type { DreamPass } from '../../contract/knowledge/dreaming.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { type Colors, formatFields, onTerminal } from '../terminal/output.js'
import { pollUntil } from '../terminal/poll-until.js'
import { startProgressBar } from '../terminal/progress.js'

export type DreamStatus = Reply<'GET /api/dream/status'>

/** Formats the state of Dreaming for a person. */
export function dreamText(status: DreamStatus, colors: Colors): string {
  const { mode, enabled, reader, running, queue, budget, nextAt, passes } = status
  const waiting = Object.entries(queue).map(([kind, count]) => `${count} ${kind}`)
  const fields = formatFields(
    [
      ['mode', enabled ? labelOf('pipelineMode', mode) : 'off (dreaming.enabled is false)'],
      ['reader', reader === 'deterministic' ? 'rule-based' : reader],
      ['schedule', `${scheduleText(status)}${nextAt === null ? '' : `, next run ${nextAt}`}`],
      ['running', running ? 'yes' : 'no'],
      ['waiting', waiting.length > 0 ? waiting.join(', ') : 'none'],
      ['tokens', `${budget.spentToday} of ${budget.perDay} today, at most ${budget.perPass} per run`],
    ],
    colors,
  )
  const lines = passes.flatMap(pass => onTerminal(`  ${passLine(pass)}`))
  return [fields, ...lines].join('\n')
}

/** Rules cost no tokens, so that hourly is more often for them (knowledge.md#dreaming). */
function scheduleText({ schedule, reader }: DreamStatus): string {
  return schedule === 'hourly' && reader === 'deterministic' ? 'every five minutes, by rules' : schedule
}

/** Summarizes one pass in one line. */
export function passLine(pass: DreamPass): string {
  const { counts, outcome, outcomeCode, startedAt } = pass
  const why = outcomeCode === null ? '' : ` (${outcomeCode})`
  const applied = counts['operations.applied'] ?? 0
  const open = (counts['operations.proposed'] ?? 0) + (counts['operations.blocked'] ?? 0)
  const read = countOf(counts.pieces ?? 0, 'text')
  const review = open > 0 ? `, ${open} for your review (memory review)` : ''
  return `${startedAt}  ${outcome}${why}: ${read} read, ${countOf(applied, 'change')} applied${review}`
}

/** Waits until no pass is running or queued, and shows the progress. */
export async function followDream(look: () => Promise<DreamStatus>): Promise<DreamStatus> {
  const bar = startProgressBar()
  try {
    return await pollUntil(look, ({ jobId, passes }) => {
      if (jobId === null) return true
      const [pass] = passes
      const read = pass?.outcome === 'running' ? (pass.counts.pieces ?? 0) : undefined
      bar.update(read === undefined ? 'queued' : `${countOf(read, 'text')} read`)
      return false
    })
  } finally {
    bar.stop()
  }
}
