import { AppError } from '../contract/errors.js'
import type { Daemon } from './daemon.js'

/** The kill switch (contract): memory writes are refused, reads and dry runs go on. @throws AppError `mutations_frozen` */
export function assertNotFrozen({ configuration }: Pick<Daemon, 'configuration'>): void {
  if (configuration().settings.memory.pipelineV2.mutationsFrozen)
    throw new AppError(
      'mutations_frozen',
      'writes are frozen: memory.pipelineV2.mutationsFrozen is true in agent.yaml',
    )
}
