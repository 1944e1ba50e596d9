import { setImmediate as nextTurn } from 'node:timers/promises'
import * as blackBoxContract from '../../contract/sessions/black-box.js'
import * as hooksContract from '../../contract/sessions/hooks.js'
import { previewContext } from '../../contract/sessions/preview.js'
import * as sessionsContract from '../../contract/sessions/sessions.js'
import * as synthesisContract from '../../contract/sessions/summaries.js'
import * as contract from '../../contract/sessions/summaries.js'
import { isFrozen } from '../ground/settings/pipeline-mode.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { createOnePassWork, type Worker } from '../platform/jobs/worker.js'
import { scanContentInSlices } from '../safety/late-scan.js'
import { policyVersion } from '../safety/verdict-columns.js'
import { finishCompactions } from './compaction/finish-compaction.js'
import { createSynthesisWorker, synthesisJob } from './synthesis/synthesis-worker.js'
import { createUseMerger } from './work/merge-uses.js'

export const tracker: Domain = {
  routes: lateRoutes(
    [sessionsContract.listSessions, sessionsContract.getSession, sessionsContract.bypassSession],
    () => import('./tracker/routes.js'),
  ),
}

/** Hooks before and after a harness summarises a long session (rules.md 4.10). */
export const compaction: Domain = {
  routes: lateRoutes(
    [hooksContract.preCompaction, hooksContract.compactionComplete],
    () => import('./compaction/routes.js'),
  ),
  recover: finishCompactions,
}

/** Uses of tools in sessions (sessions.md#tool-use). */
export const sessionWork: Domain = {
  routes: lateRoutes(
    [sessionsContract.sessionWork, sessionsContract.fileWork],
    () => import('./work/routes.js'),
  ),
  workers: [createUseMerger],
}

/** Events of a session (rules.md 4.11), and a preview of the next start. */
export const blackBox: Domain = {
  routes: lateRoutes(
    [
      blackBoxContract.listBlackBoxes,
      blackBoxContract.blackBox,
      blackBoxContract.sessionActivity,
      previewContext,
    ],
    () => import('./black-box/routes.js'),
  ),
}

/** MEMORY.md, the summary of a workspace (rules.md 4.10). */
export const synthesis: Domain = {
  routes: lateRoutes(
    [
      synthesisContract.synthesisConfig,
      synthesisContract.synthesis,
      synthesisContract.synthesisComplete,
      synthesisContract.triggerSynthesis,
    ],
    () => import('./synthesis/routes.js'),
  ),
  jobs: [synthesisJob],
  workers: [createSynthesisWorker],
}

const batchSize = 50

type Deps = Pick<Daemon, 'store' | 'configuration' | 'log'>

/** Summaries of sessions with their sources (rules.md 4.11). */
export const summaries: Domain = {
  routes: lateRoutes([contract.listSummaries, contract.expandSummary], () => import('./summaries/routes.js')),
  workers: [createNodeRescan],
}

/** Rescans nodes judged with another policy version, with lower priority than requests (rules.md 1.6). */
function createNodeRescan(deps: Deps): Worker {
  return createOnePassWork({
    run: signal => rescanNodes(deps, signal),
    onError: error => deps.log.error({ err: error }, 'safety rescan of summaries failed'),
  })
}

async function rescanNodes(deps: Deps, signal: AbortSignal): Promise<void> {
  const { summaryNodes } = deps.store.tables
  while (!signal.aborted && !isFrozen(deps)) {
    const nodes = await summaryNodes.outdated(policyVersion, batchSize)
    if (nodes.length === 0) return
    for (const node of nodes) {
      const { status } = await scanContentInSlices(node.content)
      // Losing this in a power cut only means another scan.
      await deps.store.write({ until: 'executed' }, tables =>
        tables.summaryNodes.judge(node, status, policyVersion),
      )
      await nextTurn()
    }
  }
}
