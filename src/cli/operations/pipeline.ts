import type { Reply } from '../../contract/api.js'
import type { PipelineMode } from '../../contract/ground/pipeline-modes.js'
import type { QueueCounts } from '../../contract/operations/pipeline.js'
import { countOf } from '../../lib/text/count-of.js'
import { type Colors, formatFields } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type Status = Reply<'GET /api/pipeline/status'>
type Paused = Reply<'POST /api/pipeline/pause'>
type Conversion = Status['databaseMaintenance']['vacuumConversion']

const modes: Readonly<Record<PipelineMode, string>> = {
  'controlled-write': 'on',
  shadow: 'shadow: what would be drawn is written down and not applied',
  frozen: 'frozen: nothing is written at all (memory config set memory.pipelineV2.mutationsFrozen false)',
  paused: 'paused: nothing is read again, and MEMORY.md is not written (memory pipeline resume)',
  disabled: 'off: nothing is read again (memory config set memory.pipelineV2.enabled true)',
}

/** The mode with what it means. */
export function modeText(mode: PipelineMode): string {
  return modes[mode]
}

/** The state of the background work, for people. */
export function pipelineText(status: Status, colors: Colors): string {
  const { mode, workers, queues, errorSummary, databaseMaintenance } = status
  const atWork = Object.entries(workers).filter(([, { inFlight }]) => inFlight > 0)
  return formatFields(
    [
      ['mode', modeText(mode)],
      ['at work', atWork.map(([name, { inFlight }]) => `${name} (${inFlight})`).join(', ') || 'nothing'],
      ...Object.entries(queues).map(([name, counts]) => [`${name} jobs`, queueText(counts)] as const),
      ['failed tries', failuresText(errorSummary)],
      ['database', conversionText(databaseMaintenance.vacuumConversion)],
    ],
    colors,
  )
}

function queueText({ pending = 0, leased = 0, failed = 0, dead = 0 }: QueueCounts): string {
  const parts = [
    ...(pending > 0 ? [`${pending} waiting`] : []),
    ...(failed > 0 ? [`${failed} of them failed before`] : []),
    ...(leased > 0 ? [`${leased} in hand`] : []),
    ...(dead > 0 ? [`${dead} given up`] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : 'none wait'
}

function failuresText({ total, byStage }: Status['errorSummary']): string {
  if (total === 0) return 'none since the start'
  return Object.entries(byStage)
    .map(([stage, count]) => `${stage} ${count}`)
    .join(', ')
}

function conversionText({ state, attempts, maxAttempts, lastError }: Conversion): string {
  const why = lastError === null ? '' : `: ${plainLine(lastError)}`
  if (state === 'pending') return `is converted when nobody writes for a while${why}`
  if (state === 'running') return 'is being converted'
  if (state === 'failed') return `could not be converted (${attempts} of ${maxAttempts} tries)${why}`
  return 'gives back what it no longer needs'
}

/** What a pause came to, for people. */
export function pausedText({ changed, mode, quiescence }: Paused): string {
  const { activeAtStart, aborted, remaining } = quiescence
  const beginning = changed ? 'Paused' : 'It was paused already'
  if (activeAtStart === 0) return `${beginning}; nothing was on its way${otherMode(mode)}`
  const ended = activeAtStart - aborted - remaining
  const parts = [
    ...(aborted > 0 ? [`${aborted} given up`] : []),
    ...(ended > 0 ? [`${ended} ended by themselves`] : []),
    ...(remaining > 0 ? [`${remaining} not ended yet: memory pipeline status`] : []),
  ]
  return `${beginning}; of ${countOf(activeAtStart, 'piece')} of work on the way ${parts.join(', ')}${otherMode(mode)}`
}

/** What a resume came to, for people. */
export function resumedText({ changed, mode }: Reply<'POST /api/pipeline/resume'>): string {
  const beginning = changed ? 'It goes on' : 'It was not paused'
  return `${beginning}${mode === 'controlled-write' ? '' : `; the mode is ${modeText(mode)}`}`
}

/** A pause is not all that may stop the work. */
function otherMode(mode: PipelineMode): string {
  return mode === 'paused' ? '' : `; the mode is ${modeText(mode)}`
}
