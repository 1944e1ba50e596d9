import * as boxes from '../../../contract/sessions/black-box.js'
import * as compaction from '../../../contract/sessions/hook-compaction.js'
import * as nodes from '../../../contract/sessions/summaries.js'
import * as synthesisContract from '../../../contract/sessions/synthesis.js'
import { type Route, route } from '../../platform/http/bind.js'
import { listBlackBoxes, readBlackBox } from '../black-box/read-black-box.js'
import { compactionComplete } from '../compaction/compaction-complete.js'
import { preCompaction } from '../compaction/pre-compaction.js'
import { expandSummary, listSummaries } from '../summaries/summaries.js'
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
