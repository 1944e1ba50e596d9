import * as reading from '../../../contract/knowledge/ontology.js'
import * as explaining from '../../../contract/knowledge/ontology-explain.js'
import * as contract from '../../../contract/knowledge/ontology-operations.js'
import * as reviewing from '../../../contract/knowledge/ontology-review.js'
import { route } from '../../platform/http/bind.js'
import { decideCards } from './decide-cards.js'
import { applyProposal, rejectProposal } from './decide-proposal.js'
import { describeEntity } from './describe-entity.js'
import { claimsOfMemory, listEntities, showEntity } from './entities.js'
import { explainClaim } from './explain/explain-claim.js'
import { neighbourhoodOf, wholeGraph } from './neighbourhood.js'
import { performOperations } from './perform-operation.js'
import { listProposals } from './proposals.js'
import { reviewCards } from './review-cards.js'
import { undoOntology } from './undo-change.js'

export const routes = [
  route(contract.performOperations, async (daemon, { caller, body }) => {
    const performed = await performOperations(daemon, caller, body)
    return {
      results: performed.map(({ operationId: _record, made: _made, ...result }, index) => ({
        index,
        ...result,
      })),
    }
  }),
  route(reading.listEntities, (daemon, { caller, query }) => listEntities(daemon, caller, query)),
  route(reading.getEntity, (daemon, { caller, params, query }) =>
    showEntity(daemon, caller, { ...query, ...params }),
  ),
  route(reading.describeEntity, (daemon, { caller, params, query }) =>
    describeEntity(daemon, caller, { ...query, ...params }),
  ),
  route(reading.getNeighbourhood, (daemon, { caller, params, query }) =>
    neighbourhoodOf(daemon, caller, { ...query, ...params }),
  ),
  route(reading.getGraph, (daemon, { caller, query }) => wholeGraph(daemon, caller, query)),
  route(reading.claimsOfMemory, (daemon, { caller, params, query }) =>
    claimsOfMemory(daemon, caller, { ...query, ...params }),
  ),
  route(reading.listProposals, (daemon, { caller, query }) => listProposals(daemon, caller, query)),
  route(reading.applyProposal, (daemon, { caller, params, body }) =>
    applyProposal(daemon, caller, { ...body, ...params }),
  ),
  route(reading.rejectProposal, (daemon, { caller, params, body }) =>
    rejectProposal(daemon, caller, { ...body, ...params }),
  ),
  route(reviewing.reviewCards, (daemon, { caller, query }) => reviewCards(daemon, caller, query)),
  route(reviewing.decideCards, (daemon, { caller, body }) => decideCards(daemon, caller, body)),
  route(reviewing.undoOntology, (daemon, { caller, body }) => undoOntology(daemon, caller, body)),
  route(explaining.explainClaim, (daemon, { caller, query }) => explainClaim(daemon, caller, query)),
]
