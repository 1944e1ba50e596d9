import type { PipelineMode } from '../../../contract/ground/pipeline-modes.js'
import type { Settings } from '../../../contract/settings.js'

/**
 * The mode of the background work that draws something from what was said (knowledge.md#modes). What stops more comes first:
 * frozen refuses every write, disabled and paused are about that work alone.
 */
export function pipelineMode({ memory: { pipelineV2 } }: Pick<Settings, 'memory'>): PipelineMode {
  if (pipelineV2.mutationsFrozen) return 'frozen'
  if (!pipelineV2.enabled) return 'disabled'
  if (pipelineV2.paused) return 'paused'
  return pipelineV2.shadowMode ? 'shadow' : 'controlled-write'
}

/** Whether that work stands still by a pause, whatever else stops it (operations.md 6.2). */
export function isPipelinePaused({ memory }: Pick<Settings, 'memory'>): boolean {
  return memory.pipelineV2.paused
}

/** Whether that work may write: what it draws, or, in the shadow, what it would. */
export function isPipelineOpen(settings: Pick<Settings, 'memory'>): boolean {
  return ['controlled-write', 'shadow'].includes(pipelineMode(settings))
}
