import * as compaction from '../../contract/hook-compaction.js'
import * as boxes from '../../contract/session-blackbox.js'
import * as nodes from '../../contract/session-summaries.js'
import * as synthesisContract from '../../contract/synthesis.js'
import { type Route, route } from '../http/bind.js'
import { compactionComplete } from './compaction-complete.js'
import { preCompaction } from './pre-compaction.js'
import { listBlackBoxes, readBlackBox } from './read-black-box.js'
import { expandSummary, listSummaries } from './summaries.js'
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
  route(boxes.listBlackBoxes, (daemon, { caller, query }) => listBlackBoxes(daemon, caller, query)),
  route(boxes.blackBox, (daemon, { caller, params, query }) =>
    readBlackBox(daemon, caller, params.key, query),
  ),
  route(nodes.listSummaries, async (daemon, { caller, query }) => {
    const summaries = await listSummaries(daemon, caller, query)
    return { summaries, count: summaries.length }
  }),
  route(nodes.expandSummary, (daemon, { caller, body }) => expandSummary(daemon, caller, body)),
]
