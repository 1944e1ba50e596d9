import type { Reply } from '../../../../contract/api.js'
import { AppError, notFound } from '../../../../contract/ground/errors.js'
import type { AuthorizationCheck } from '../../../../contract/knowledge/ontology-explain.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { ClaimRow } from '../../../../store/tables/knowledge/claims.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { isOfSession } from '../evidence/evidence-check.js'
import type { Reader } from '../evidence/source.js'
import { findEntity } from '../model/entity.js'
import { readerOf } from '../model/reader.js'
import {
  type CheckedVersion,
  checkVersions,
  combineIntegrity,
  followLineage,
  type Integrity,
  type Lineage,
  statusOf,
  toRelatedVersions,
  toVersion,
  withEvidence,
} from './look-at-versions.js'

type Deps = Pick<Daemon, 'store' | 'clock'>
type Explanation = Reply<'GET /api/ontology/claims/explain'>

export interface ExplainQuery {
  entity: string
  aspect: string
  group: string
  claim: string
  kind?: 'attribute' | 'constraint' | undefined
  version_limit: number
  premise_limit: number
  reverse_limit: number
  max_depth: number
  session_key?: string | undefined
  agent_id?: string | undefined
  agentId?: string | undefined
}

/** Current and contested values checked in addition to the requested versions. */
const maxStanding = 50

/**
 * Explains a fact (knowledge.md#why): its versions with their quotes in today's sources, other values, and
 * its premises. If the reader may not see a premise, or it belongs to another session or project, the whole
 * request fails.
 * @throws AppError `not_found`, `forbidden` for such a premise, `scope_violation`
 */
export async function explainClaim(deps: Deps, caller: Caller, query: ExplainQuery): Promise<Explanation> {
  const { tables } = deps.store
  const now = deps.clock().toISOString()
  const reader = readerOf(caller, query)
  const sessionKey = query.session_key === undefined ? undefined : sessionKeyOf(query.session_key)
  const { entity, claim } = await findClaim(deps, reader, query)
  const newest = await tables.claims.versionsOf(claim.id, query.version_limit + 1)
  const standing = (await tables.claims.standing(claim.id, ['current', 'contested'])).slice(0, maxStanding)
  const rows = [...newest, ...standing.filter(({ id }) => !newest.some(row => row.id === id))]
  const looked = (await checkVersions(tables, reader, rows)).filter(
    ({ row, isForReader }) => isForReader && isOfSession(row.session_key, sessionKey),
  )
  if (looked.length === 0) throw noClaim(query)
  const versions = looked.filter(({ row }) => newest.slice(0, query.version_limit).includes(row))
  const held = looked.filter(one => isCurrentValue(one, now))
  const premises = await followLineage(
    tables,
    reader,
    held.map(({ row }) => row.id),
    { direction: 'premises', limit: query.premise_limit, maxDepth: query.max_depth },
  )
  const checks = await authorize(deps, reader, { looked, premises, sessionKey })
  const reverse = await followLineage(
    tables,
    reader,
    looked.map(({ row }) => row.id),
    { direction: 'conclusions', limit: query.reverse_limit, maxDepth: query.max_depth },
  )
  const [first, ...others] = looked.filter(one => statusOf(one, now) === 'current')
  const contested = looked.filter(({ row }) => row.status === 'contested')
  return {
    claim: {
      entity: entity.name,
      aspect: claim.aspect,
      group: claim.group_name,
      key: claim.claim,
      kind: claim.kind as 'attribute' | 'constraint',
    },
    versions: versions.map(one => withEvidence(one, now)),
    competing: first ? others.map(one => toVersion(one, now)) : [],
    contradictions: contested.map(one => toVersion(one, now)),
    premises: await toRelatedVersions(tables, premises.steps, now),
    reverse: await toRelatedVersions(
      tables,
      reverse.steps.filter(({ looked: { isForReader } }) => isForReader),
      now,
    ),
    authorization: { decision: 'allowed', checks },
    integrity: integrityOfClaim(held, premises),
    truncated: newest.length > query.version_limit || !premises.isWhole || !reverse.isWhole,
  }
}

async function findClaim(
  { store: { tables } }: Deps,
  { agentId }: Reader,
  query: ExplainQuery,
): Promise<{ entity: EntityRow; claim: ClaimRow }> {
  const entity = await findEntity(tables, agentId, query.entity)
  const claim =
    entity &&
    (await tables.claims.bySlot({
      entity_id: entity.id,
      aspect_key: nameKey(query.aspect),
      group_key: nameKey(query.group),
      claim_key: nameKey(query.claim),
    }))
  if (!claim || (query.kind !== undefined && claim.kind !== query.kind)) throw noClaim(query)
  return { entity, claim }
}

/** The same error for a missing fact and one hidden from the reader, so that nothing is revealed. */
function noClaim({ entity, aspect, group, claim }: ExplainQuery): AppError {
  const path = [entity, aspect, group, claim].map(quoted).join(' > ')
  return notFound(`no facts about ${path}`, 'see memory ontology entities')
}

/** Integrity concerns today's values of the slot, supported or not. */
function isCurrentValue({ row }: CheckedVersion, now: string): boolean {
  return row.status === 'current' && (row.valid_until === null || row.valid_until > now)
}

/**
 * @throws AppError `forbidden` if a premise is not visible to the reader; nothing about the fact is revealed
 * then
 */
async function authorize(
  { store: { tables } }: Deps,
  { agentId }: Reader,
  {
    looked,
    premises,
    sessionKey,
  }: { looked: readonly CheckedVersion[]; premises: Lineage; sessionKey: string | undefined },
): Promise<AuthorizationCheck[]> {
  const projects = new Set(looked.map(({ row }) => row.project))
  const claims = await tables.claims.loadClaims(premises.steps.map(step => step.looked.row.claim_id))
  const isAllowed = ({ row, isForReader }: CheckedVersion): boolean =>
    isForReader &&
    isOfSession(row.session_key, sessionKey) &&
    (row.project === null || projects.has(row.project)) &&
    claims.find(({ id }) => id === row.claim_id)?.agent_id === agentId
  if (!premises.steps.every(step => isAllowed(step.looked)))
    throw new AppError(
      'forbidden',
      'this fact rests on a premise of another session, project or agent that you may not read',
      undefined,
      { fields: { authorization: { decision: 'denied', checks: [] } } },
    )
  return [
    { check: 'agent', subject: agentId, allowed: true },
    ...looked.map(({ row }) => ({ check: 'evidence' as const, subject: row.id, allowed: true })),
    ...premises.steps.map(step => ({
      check: 'premise' as const,
      subject: step.looked.row.id,
      allowed: true,
    })),
  ]
}

/**
 * Combines the integrity of the slot's values and all their premises; a premise that is not current supports
 * nothing.
 */
function integrityOfClaim(held: readonly CheckedVersion[], { steps, isWhole }: Lineage): Integrity {
  if (held.length === 0)
    return { status: 'unknown', problems: [{ version: null, problem: 'no_current_version', sourceId: null }] }
  const givenUp = steps
    .filter(({ looked }) => looked.row.status !== 'current')
    .map(
      ({ looked }): Integrity => ({
        status: 'unsupported',
        problems: [{ version: looked.row.id, problem: 'premise_not_current', sourceId: null }],
      }),
    )
  const unseen: Integrity[] = isWhole
    ? []
    : [{ status: 'unknown', problems: [{ version: null, problem: 'not_all_looked_at', sourceId: null }] }]
  return combineIntegrity([
    ...held.map(({ integrity }) => integrity),
    ...steps.map(({ looked }) => looked.integrity),
    ...givenUp,
    ...unseen,
  ])
}
