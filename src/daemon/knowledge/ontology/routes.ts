import type { Reply } from '../../../contract/api.js'
import * as reading from '../../../contract/knowledge/ontology.js'
import * as explaining from '../../../contract/knowledge/ontology-explain.js'
import * as contract from '../../../contract/knowledge/ontology-operations.js'
import type { DecidedCard, ReviewDecision } from '../../../contract/knowledge/ontology-review.js'
import * as reviewing from '../../../contract/knowledge/ontology-review.js'
import { dayMs } from '../../../lib/time/time.js'
import type { OntologyChangeRow, RowImage } from '../../../store/tables/knowledge/ontology-changes.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { applyProposal, assertPerson, rejectProposal } from './decide-proposal.js'
import { describeEntity } from './describe-entity.js'
import { claimsOfMemory, listEntities, showEntity } from './entities.js'
import { explainClaim } from './explain/explain-claim.js'
import type { OntologyDeps } from './model/operation.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { neighbourhoodOf, wholeGraph } from './neighbourhood.js'
import { undoDays } from './note-change.js'
import { performOperations } from './perform-operation.js'
import { keptCurrent, listProposals, notAFact } from './proposals.js'
import { openSuggestions, reviewCards, type Suggestion } from './review-cards.js'

const reasons: Readonly<Record<ReviewDecision, string>> = {
  keep: keptCurrent,
  replace: 'the suggestion is right',
  both: 'both are right',
  not_a_fact: notAFact,
}

const mostListed = 200

/** Rolls the transaction back, so that a batch is undone as a whole or not at all. */
class ChangedSince extends Error {}

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

interface Decisions extends NamedPlace {
  decisions: readonly { id: string; decision: ReviewDecision }[]
}

/**
 * Decides suggestions, each with those that say the same.
 * @throws AppError `forbidden` for callers that are not a person, `scope_violation`
 */
async function decideCards(
  deps: OntologyDeps,
  caller: Caller,
  { decisions, ...named }: Decisions,
): Promise<Reply<'POST /api/ontology/review'>> {
  assertPerson(caller)
  const batch = deps.newId()
  const open = await openSuggestions(deps, readerOf(caller, named))
  const results: DecidedCard[] = []
  for (const { id, decision } of decisions)
    results.push(await decideOne(deps, caller, { ...named, id, decision, batch }, open))
  return { results, batch }
}

interface OneDecision extends NamedPlace {
  id: string
  decision: ReviewDecision
  batch: string
}

async function decideOne(
  deps: OntologyDeps,
  caller: Caller,
  { id, decision, batch, ...named }: OneDecision,
  open: readonly Suggestion[],
): Promise<DecidedCard> {
  const found = open.find(one => [one, ...one.alike].some(({ row }) => row.id === id))
  const asked = { ...named, reason: reasons[decision], batch }
  const alike = found ? [found, ...found.alike].map(({ row }) => row.id).filter(other => other !== id) : []
  const done = await decideProposal(deps, caller, { ...asked, id }, decision)
  if (done.status === 'decided')
    for (const other of alike) await decideProposal(deps, caller, { ...asked, id: other }, decision)
  return done
}

async function decideProposal(
  deps: OntologyDeps,
  caller: Caller,
  decision: NamedPlace & { id: string; reason: string; batch: string },
  verb: ReviewDecision,
): Promise<DecidedCard> {
  const { id } = decision
  if (verb === 'keep' || verb === 'not_a_fact') {
    const { status } = await rejectProposal(deps, caller, decision)
    return { id, status: status === 'rejected' ? 'decided' : status }
  }
  const reply = await applyProposal(deps, caller, { ...decision, keepsCurrent: verb === 'both' })
  const { status, blockedReason } = reply
  const isDone = status === 'applied' || status === 'deduplicated'
  return {
    id,
    status: isDone ? 'decided' : status,
    ...(blockedReason !== undefined && { blockedReason }),
  }
}

type Deps = Pick<Daemon, 'store' | 'clock'>

/**
 * Undoes the last decisions, merge, split or alias of a person, or those of a batch: every row that they
 * changed is as before. Refused once one of these rows has changed again.
 * @throws AppError `forbidden` for callers that are not a person, `scope_violation`
 */
async function undoOntology(
  { store, clock }: Deps,
  caller: Caller,
  { batch, ...named }: NamedPlace & { batch?: string | null | undefined },
): Promise<Reply<'POST /api/ontology/undo'>> {
  assertPerson(caller)
  const { agentId, boundary } = readerOf(caller, named)
  const since = new Date(clock().getTime() - undoDays * dayMs).toISOString()
  return store
    .transaction(async tables => {
      const changes = await changesOf(tables, agentId, { batch, since })
      const [first] = changes
      if (!first || boundary.only) return { status: 'nothing_to_undo' as const }
      for (const change of changes) {
        const images = JSON.parse(change.details) as RowImage[]
        if (!(await tables.ontologyChanges.isUnchanged(images))) throw new ChangedSince()
        if (!(await tables.ontologyChanges.restore(images))) throw new ChangedSince()
        await recount(tables, images)
        await tables.ontologyChanges.markUndone(change.id, clock().toISOString())
      }
      const undone = [...new Set(changes.map(({ title }) => title))]
      return { status: 'undone' as const, batch: first.batch, undone }
    })
    .catch(error => {
      if (error instanceof ChangedSince) return { status: 'changed_since' as const }
      throw error
    })
}

/** Returns the changes to undo, newest first. */
async function changesOf(
  { ontologyChanges }: Tables,
  agentId: string,
  { batch, since }: { batch: string | null | undefined; since: string },
): Promise<OntologyChangeRow[]> {
  const isOpen = ({ undone_at }: OntologyChangeRow) => undone_at === null
  const last = batch ?? (await ontologyChanges.since(agentId, since, mostListed)).find(isOpen)?.batch
  return last === undefined ? [] : (await ontologyChanges.ofBatch(agentId, last)).filter(isOpen)
}

async function recount({ entities }: Tables, images: readonly RowImage[]): Promise<void> {
  const ids = images.flatMap(({ table, before, after }) =>
    table === 'entities' ? [String((before ?? after)?.id)] : [],
  )
  for (const id of new Set(ids)) await entities.recount(id)
}
