import { AppError } from '../../../contract/ground/errors.js'
import type { SettingsInForce } from './settings-in-force.js'

interface Configured {
  configuration(): SettingsInForce
}

/** Whether the kill switch is on: work in the background then leaves the store as it is. */
export function isFrozen({ configuration }: Configured): boolean {
  return configuration().settings.memory.pipelineV2.mutationsFrozen
}

/**
 * The kill switch (rules.md#kill-switch): memory writes are refused, reads and dry runs go on.
 * @throws AppError `mutations_frozen`
 */
export function assertNotFrozen(deps: Configured): void {
  if (isFrozen(deps))
    throw new AppError(
      'mutations_frozen',
      'writes are frozen: memory.pipelineV2.mutationsFrozen is true in agent.yaml',
    )
}
