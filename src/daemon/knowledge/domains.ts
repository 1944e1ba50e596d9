import * as contract from '../../contract/knowledge/code.js'
import * as connectorsContract from '../../contract/knowledge/connectors.js'
import * as dreamingContract from '../../contract/knowledge/dreaming.js'
import * as reading from '../../contract/knowledge/ontology.js'
import * as explaining from '../../contract/knowledge/ontology-explain.js'
import * as ontologyOperationsContract from '../../contract/knowledge/ontology-operations.js'
import * as reviewing from '../../contract/knowledge/ontology-review.js'
import * as pickersContract from '../../contract/knowledge/pickers.js'
import type { Domain } from '../platform/domain.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { codeIndexJob } from './code/index-runs.js'
import { createProjects } from './code/projects.js'
import { brokenOff, SyncRuns, syncRuns } from './connectors/sync-runs.js'
import { createDreamingWorker, dreamingJob } from './dreaming/schedule/dreaming-worker.js'

/** Dreaming: reads new texts in the background and extracts facts about entities (knowledge.md#dreaming). */
export const dreaming: Domain = {
  routes: lateRoutes(
    [dreamingContract.dreamStatus, dreamingContract.triggerDream],
    () => import('./dreaming/schedule/routes.js'),
  ),
  jobs: [dreamingJob],
  workers: [createDreamingWorker],
  recoverRows: ({ store, clock }) =>
    store.transaction(({ dreamPasses }) => dreamPasses.endOpen('interrupted', clock().toISOString())),
}

/** Native dialogs in which a person chooses files to read (sources.md#choosing-in-a-window). */
export const pickers: Domain = {
  routes: lateRoutes(
    [pickersContract.pickFiles, pickersContract.pickDirectory],
    () => import('./pickers/routes.js'),
  ),
}

/** The ontology: facts about entities, written by operations with quotes as evidence (knowledge.md). */
export const ontology: Domain = {
  routes: lateRoutes(
    [
      ontologyOperationsContract.performOperations,
      reading.listEntities,
      reading.getEntity,
      reading.describeEntity,
      reading.getNeighbourhood,
      reading.getGraph,
      reading.claimsOfMemory,
      reading.listProposals,
      reading.applyProposal,
      reading.rejectProposal,
      reviewing.reviewCards,
      reviewing.decideCards,
      reviewing.undoOntology,
      explaining.explainClaim,
    ],
    () => import('./ontology/routes.js'),
  ),
}

/** Connectors: places whose documents are synchronised on demand (connectors.md). */
export const connectors: Domain = {
  routes: lateRoutes(
    [
      connectorsContract.listConnectors,
      connectorsContract.registerConnector,
      connectorsContract.getConnector,
      connectorsContract.syncConnector,
      connectorsContract.fullSyncConnector,
      connectorsContract.removeConnector,
      connectorsContract.connectorHealth,
    ],
    () => import('./connectors/routes.js'),
  ),
  workers: [daemon => syncRuns.keep(daemon, new SyncRuns(daemon))],
  recoverHeld: async daemon => {
    const running = syncRuns.ifKept(daemon)?.running() ?? []
    await daemon.store.tables.connectors.endLeft(running, brokenOff, daemon.clock().toISOString())
  },
}

/** The code index: symbols of projects and the references between them (code-index.md). */
export const code: Domain = {
  routes: lateRoutes(
    [
      contract.codeStatus,
      contract.codeSearch,
      contract.codeContext,
      contract.codeBlast,
      contract.codeConstants,
      contract.codeBriefing,
      contract.codeDoctor,
      contract.codeMoved,
      contract.codeIndex,
      contract.codeCancel,
      contract.codeClear,
    ],
    () => import('./code/routes.js'),
  ),
  jobs: [codeIndexJob],
  workers: [createProjects],
}
