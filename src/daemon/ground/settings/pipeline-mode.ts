import { AppError } from '../../../contract/ground/errors.js'
import type { PipelineMode } from '../../../contract/ground/wire-names.js'
import type { Settings } from '../../../contract/settings.js'
import type { SettingsInForce } from './settings-in-force.js'

interface SettingsReader {
  configuration(): SettingsInForce
}

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

/** True if the kill switch is on: background work then writes nothing to the store. */
export function isFrozen({ configuration }: SettingsReader): boolean {
  return configuration().settings.memory.pipelineV2.mutationsFrozen
}

/**
 * The kill switch (rules.md#kill-switch): memory writes are refused, reads and dry runs still work.
 * @throws AppError `mutations_frozen`
 */
export function assertNotFrozen(deps: SettingsReader): void {
  if (isFrozen(deps))
    throw new AppError(
      'mutations_frozen',
      'writes are frozen: memory.pipelineV2.mutationsFrozen is true in agent.yaml',
    )
}
