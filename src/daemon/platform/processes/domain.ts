import type { Domain } from '../domain.js'
import { reapLeftGroups } from './group-records.js'

/** The programs that the daemon starts. */
export const processes: Domain = { workers: [reapLeftGroups] }
