import type { Domain } from '../domain.js'
import { reapGroups } from './group-records.js'

/** The programs that the daemon starts. */
export const processes: Domain = { recover: reapGroups }
