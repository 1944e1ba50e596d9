import { AppError } from '../../../contract/ground/errors.js'
import type { SettingsInForce } from './settings-in-force.js'

interface SettingsReader {
  configuration(): SettingsInForce
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
