import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import { noteContradiction, type Work } from './operation.js'
import { relationOf } from './slot-rules.js'

/** Slots of an entity that are looked at when it is merged. */
const maxSlots = 20_000

/**
 * Slots of one entity become slots of another. Where both have the slot, a value that both hold is one value with the
 * evidence of both, and one that contradicts the other's is contested.
 */
export async function moveClaims(work: Work, from: string, into: string): Promise<void> {
  const { claims } = work.tables
  for (const claim of await claims.ofEntity(from, maxSlots)) {
    const known = await claims.bySlot({ ...claim, entity_id: into })
    if (known) await joinSlots(work, claim, known)
    else await claims.moveClaim(claim.id, into)
  }
}

async function joinSlots(work: Work, from: ClaimRow, into: ClaimRow): Promise<void> {
  const { claims } = work.tables
  const held = await claims.standing(into.id, ['current'])
  for (const version of await claims.standing(from.id, ['current']))
    await joinVersion(
      work,
      version,
      held.filter(({ project }) => project === version.project),
    )
  await claims.moveVersions(from.id, into)
  await claims.dropClaim(from.id)
}

async function joinVersion(
  work: Work,
  version: ClaimVersionRow,
  held: readonly ClaimVersionRow[],
): Promise<void> {
  const { tables, now } = work
  const related = held.map(other => ({ other, relation: relationOf(other, version) }))
  const [against] = related.filter(({ relation }) => relation !== 'apart')
  if (!against) return
  if (against.relation === 'same') {
    await tables.evidenceSpans.moveSubject(version.id, against.other.id)
    await tables.claims.updateVersion(version.id, {
      status: 'superseded',
      expired_at: now,
      replaced_by: against.other.id,
    })
    return
  }
  await tables.claims.updateVersion(version.id, { status: 'contested' })
  await noteContradiction(work, against.other.claim_id)
}
