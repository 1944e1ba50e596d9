import type { Reply } from '../../../contract/api.js'
import type { DecidedCard, ReviewDecision } from '../../../contract/knowledge/ontology-review.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { applyProposal, assertPerson, rejectProposal } from './decide-proposal.js'
import type { OntologyDeps } from './model/operation.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { keptCurrent, notAFact } from './proposals.js'
import { openSuggestions, type Suggestion } from './review-cards.js'

interface Decisions extends NamedPlace {
  decisions: readonly { id: string; decision: ReviewDecision }[]
}

const reasons: Readonly<Record<ReviewDecision, string>> = {
  keep: keptCurrent,
  replace: 'the suggestion is right',
  both: 'both are right',
  not_a_fact: notAFact,
}

/**
 * Decides suggestions, each with those that say the same.
 * @throws AppError `forbidden` for callers that are not a person, `scope_violation`
 */
export async function decideCards(
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
