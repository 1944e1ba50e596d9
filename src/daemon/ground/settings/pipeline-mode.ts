import type { PipelineMode } from '../../../contract/ground/pipeline-modes.js'
import type { Settings } from '../../../contract/settings.js'

/**
 * The mode of Dreaming (knowledge.md#modes). The strictest switch wins: frozen refuses every write, disabled
 * and paused only stop Dreaming.
 */
export function pipelineMode({ memory: { pipelineV2 } }: Pick<Settings, 'memory'>): PipelineMode {
  if (pipelineV2.mutationsFrozen) return 'frozen'
  if (!pipelineV2.enabled) return 'disabled'
  if (pipelineV2.paused) return 'paused'
  return pipelineV2.shadowMode ? 'shadow' : 'controlled-write'
}

/** Whether Dreaming is paused, even if another switch stops it too (operations.md 6.2). */
export function isPipelinePaused({ memory }: Pick<Settings, 'memory'>): boolean {
  return memory.pipelineV2.paused
}

/** Whether Dreaming may write its results, or in shadow mode its planned changes. */
export function isPipelineOpen(settings: Pick<Settings, 'memory'>): boolean {
  return ['controlled-write', 'shadow'].includes(pipelineMode(settings))
}
