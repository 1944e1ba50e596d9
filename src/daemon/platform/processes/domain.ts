import { createDaemonState } from '../daemon/daemon.js'
import type { Domain } from '../domain.js'
import { endLeftoverPrograms, type LeftoverPrograms } from './process-group.js'

/** Programs left running by the previous daemon. */
export const leftGroups = createDaemonState<LeftoverPrograms>()

/** The programs that the daemon starts. */
export const processes: Domain = { workers: [daemon => leftGroups.keep(daemon, endLeftoverPrograms(daemon))] }
