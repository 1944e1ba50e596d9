import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { findEntity } from '../model/find-entity.js'
import { moveClaims } from '../model/move-claims.js'
import { type OperationKind, rejected, type Work } from '../model/operation.js'

/** Maximum of rows moved by one merge, during which requests wait. */
const maxMoved = 20_000

/**
 * Merges one entity into another: its names become aliases there, and its id leads there. Merged entities are
 * resolved first, so cycles are impossible.
 */
export const mergeEntities: OperationKind<'merge_entities'> = {
  name: 'merge_entities',
  isHygiene: true,
  perform: async (work, payload) => {
    const { tables, reader, now } = work
    const from = await findEntity(tables, reader.agentId, payload.from)
    const into = await findEntity(tables, reader.agentId, payload.into)
    if (!from || !into) return rejected('entity_not_found')
    if (from.id === into.id) return rejected('merge_cycle')
    if ((await tables.entities.size(from.id)) > maxMoved) return rejected('entity_too_large')
    await moveNames(work, from, into)
    await moveClaims(work, from.id, into.id)
    await tables.entityLinks.move(from.id, into.id, now)
    await tables.entities.moveMentions(from.id, into.id)
    await tables.evidenceSpans.moveSubject(from.id, into.id)
    const pinned = Math.max(from.pinned, into.pinned)
    await tables.entities.update(from.id, { merged_into: into.id, mentions: 0, updated_at: now })
    await tables.entities.update(into.id, { pinned, updated_at: now })
    return { status: 'applied', id: into.id }
  },
}

async function moveNames({ tables: { entities } }: Work, from: EntityRow, into: EntityRow): Promise<void> {
  const names = await entities.namesOf([from.id])
  await entities.dropNames(from.id)
  for (const { active, ...name } of names) {
    await entities.putName({ ...name, entity_id: into.id })
    if (active === 0) await entities.retireName(into.id, name.name_key)
  }
}
