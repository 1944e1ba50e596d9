import * as reading from '../../../contract/knowledge/ontology.js'
import * as explaining from '../../../contract/knowledge/ontology-explain.js'
import * as contract from '../../../contract/knowledge/ontology-operations.js'
import * as reviewing from '../../../contract/knowledge/ontology-review.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** The ontology: facts about entities, written by operations with quotes as evidence (knowledge.md). */
export const ontology: Domain = {
  routes: lateRoutes(
    [
      contract.performOperations,
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
    () => import('./routes.js'),
  ),
}
