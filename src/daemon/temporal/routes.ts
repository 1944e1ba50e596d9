import * as compaction from '../../contract/hook-compaction.js'
import { type Route, route } from '../http/bind.js'
import { compactionComplete } from './compaction-complete.js'

/** Compaction, MEMORY.md and what is told of sessions. */
export const temporalRoutes: readonly Route[] = [
  route(compaction.compactionComplete, (daemon, { caller, body }) =>
    compactionComplete(daemon, caller, body),
  ),
]
