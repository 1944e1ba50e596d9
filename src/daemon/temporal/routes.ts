import * as compaction from '../../contract/hook-compaction.js'
import * as synthesisContract from '../../contract/synthesis.js'
import { type Route, route } from '../http/bind.js'
import { compactionComplete } from './compaction-complete.js'
import { preCompaction } from './pre-compaction.js'
import { synthesis, synthesisConfig, synthesisGone } from './synthesis.js'
import { queueSynthesis } from './synthesis-worker.js'

/** Compaction, MEMORY.md and what is told of sessions. */
export const temporalRoutes: readonly Route[] = [
  route(compaction.preCompaction, (daemon, { caller, body }) => preCompaction(daemon, caller, body)),
  route(compaction.compactionComplete, (daemon, { caller, body }) =>
    compactionComplete(daemon, caller, body),
  ),
  route(synthesisContract.synthesisConfig, daemon => synthesisConfig(daemon)),
  route(synthesisContract.synthesis, (daemon, { caller, body }) => synthesis(daemon, caller, body)),
  route(synthesisContract.synthesisComplete, async () => synthesisGone),
  route(synthesisContract.triggerSynthesis, async daemon => {
    const jobId = await queueSynthesis(daemon)
    daemon.synthesis.wake()
    return { status: 'queued' as const, jobId }
  }),
]
