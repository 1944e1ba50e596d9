import type { Reply } from '../../contract/api.js'
import type { PipelineMode } from '../../contract/ground/wire-names.js'
import type { QueueCounts } from '../../contract/operations/pipeline.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { type Colors, formatFields } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type Status = Reply<'GET /api/pipeline/status'>
type PauseReply = Reply<'POST /api/pipeline/pause'>
type Conversion = Status['databaseMaintenance']['vacuumConversion']

const modes: Readonly<Record<PipelineMode, string>> = {
  'controlled-write': 'on',
  shadow: 'shadow: results are recorded but not applied',
  frozen:
    'frozen: all writes are refused (to allow them: memory config set memory.pipelineV2.mutationsFrozen false)',
  paused: 'paused: no Dreaming, and MEMORY.md is not updated (to continue: memory pipeline resume)',
  disabled: 'off: no Dreaming (to enable it: memory config set memory.pipelineV2.enabled true)',
}

/** Describes a mode. */
export function modeText(mode: PipelineMode): string {
  return modes[mode]
}

/** Formats the state of the background work for people. */
export function pipelineText(status: Status, colors: Colors): string {
  const { mode, workers, queues, errorSummary, databaseMaintenance } = status
  const atWork = Object.entries(workers).filter(([, { inFlight }]) => inFlight > 0)
  return formatFields(
    [
      ['mode', modeText(mode)],
      [
        'running',
        atWork.map(([name, { inFlight }]) => `${labelOf('worker', name)} (${inFlight})`).join(', ') || 'none',
      ],
      ...Object.entries(queues).map(([name, counts]) => [`${name} jobs`, queueText(counts)] as const),
      ['failures', failuresText(errorSummary)],
      ['database', conversionText(databaseMaintenance.vacuumConversion)],
    ],
    colors,
  )
}

function queueText({ pending = 0, leased = 0, failed = 0, dead = 0 }: QueueCounts): string {
  const parts = [
    ...(pending > 0 ? [`${pending} waiting`] : []),
    ...(failed > 0 ? [`${failed} retrying`] : []),
    ...(leased > 0 ? [`${leased} running`] : []),
    ...(dead > 0 ? [`${dead} failed`] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : 'none waiting'
}

function failuresText({ total, byStage }: Status['errorSummary']): string {
  if (total === 0) return 'none since the daemon started'
  return Object.entries(byStage)
    .map(([stage, count]) => `${stage} ${count}`)
    .join(', ')
}

function conversionText({ state, attempts, maxAttempts, lastError }: Conversion): string {
  const why = lastError === null ? '' : `: ${plainLine(lastError)}`
  if (state === 'pending') return `file format upgrade waits for an idle moment${why}`
  if (state === 'running') return 'file format upgrade running'
  if (state === 'failed') return `file format upgrade failed (${attempts} of ${maxAttempts} attempts)${why}`
  return 'free space is returned to the disk'
}

/** Describes the outcome of a pause for people. */
export function pausedText({ changed, mode, quiescence }: PauseReply): string {
  const { activeAtStart, aborted, remaining } = quiescence
  const beginning = changed ? 'Paused' : 'Already paused'
  if (activeAtStart === 0) return `${beginning}; no jobs were running${otherMode(mode)}`
  const ended = activeAtStart - aborted - remaining
  const parts = [
    ...(aborted > 0 ? [`${aborted} cancelled`] : []),
    ...(ended > 0 ? [`${ended} finished`] : []),
    ...(remaining > 0 ? [`${remaining} still running (memory pipeline status)`] : []),
  ]
  return `${beginning}; ${countOf(activeAtStart, 'job was', 'jobs were')} running: ${parts.join(', ')}${otherMode(mode)}`
}

/** Describes the outcome of a resume for people. */
export function resumedText({ changed, mode }: Reply<'POST /api/pipeline/resume'>): string {
  const beginning = changed ? 'Resumed' : 'It was not paused'
  return `${beginning}${mode === 'controlled-write' ? '' : `; the mode is ${modeText(mode)}`}`
}

/** Adds the mode if it stops the work for another reason than a pause. */
function otherMode(mode: PipelineMode): string {
  return mode === 'paused' ? '' : `; the mode is ${modeText(mode)}`
}
