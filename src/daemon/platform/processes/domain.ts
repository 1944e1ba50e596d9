import { keptByDaemon } from '../daemon/kept-by-daemon.js'
import type { Domain } from '../domain.js'
import { type LeftGroups, reapLeftGroups } from './group-records.js'

/** The programs that the daemon before this one left. */
export const leftGroups = keptByDaemon<LeftGroups>()

/** The programs that the daemon starts. */
export const processes: Domain = { workers: [daemon => leftGroups.keep(daemon, reapLeftGroups(daemon))] }
