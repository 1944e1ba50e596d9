import type { Operation, Payload } from '../../../contract/knowledge/ontology-operations.js'
import type { OperationRow } from '../../../store/tables/knowledge/ontology-records.js'
import type { Tables } from '../../../store/tables/tables.js'
import { nameKey } from '../../ground/entities/name-key.js'
import type { Reader } from './evidence/source.js'
import { findEntity } from './model/find-entity.js'

/** What an operation would change, as it is now and as far as the reader may read it: a value, or a memory's text. */
export async function whatIsThere(
  tables: Tables,
  reader: Reader,
  { operation, payload, project }: Pick<OperationRow, 'operation' | 'payload' | 'project'>,
): Promise<string | undefined> {
  const wanted = JSON.parse(payload) as Operation['payload']
  if ('version' in wanted) return toldValue(tables, reader, wanted.version)
  if ('memory' in wanted) {
    const [row] = await tables.memories.loadRecallable([wanted.memory], reader.boundary, {})
    return row?.content
  }
  if (operation !== 'assert_claim') return undefined
  const { entity, aspect, group, claim } = wanted as Payload<'assert_claim'>
  const found = await findEntity(tables, reader.agentId, entity)
  if (!found) return undefined
  const keys = { aspect_key: nameKey(aspect), group_key: nameKey(group), claim_key: nameKey(claim) }
  const slot = await tables.claims.bySlot({ ...keys, entity_id: found.id })
  const current = slot ? await tables.claims.standing(slot.id, ['current']) : []
  const here = current.find(version => version.project === project)
  return here && toldValue(tables, reader, here.id)
}

async function toldValue(
  { claims }: Tables,
  { agentId, boundary }: Reader,
  id: string,
): Promise<string | undefined> {
  const told = await claims.toldVersions([id], boundary)
  return told.has(id) ? (await claims.version(agentId, id))?.version.value : undefined
}
