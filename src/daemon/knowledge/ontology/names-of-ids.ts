import type { Operation } from '../../../contract/knowledge/ontology-operations.js'
import { clip } from '../../../lib/text/clip.js'
import type { OperationRow } from '../../../store/tables/knowledge/ontology-records.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Reader } from './evidence/source.js'

/** UTF-16 units of a memory shown as its name. */
const maxMemory = 200

/** Payload fields that may contain ids, by kind. */
const fields = {
  entity: ['entity', 'from', 'into', 'to'],
  version: ['version'],
  link: ['link'],
  memory: ['memory', 'supersededBy'],
} as const

/**
 * Names the ids in an operation's payload, if visible to the reader: entities by name, versions by slot,
 * links by their ends, memories by their beginning.
 */
export async function namesOfIds(
  tables: Tables,
  reader: Reader,
  { payload }: Pick<OperationRow, 'payload'>,
): Promise<Record<string, string>> {
  const wanted = JSON.parse(payload) as Operation['payload'] & Record<string, unknown>
  const of = (kind: keyof typeof fields): string[] =>
    fields[kind].flatMap(field => (typeof wanted[field] === 'string' ? [wanted[field]] : []))
  const names = [
    ...(await entityNames(tables, reader, of('entity'))),
    ...(await slotNames(tables, reader, of('version'))),
    ...(await linkNames(tables, reader, of('link'))),
    ...(await memoryBeginnings(tables, reader, of('memory'))),
  ]
  return Object.fromEntries(names)
}

type Names = readonly (readonly [id: string, name: string])[]

async function entityNames({ entities }: Tables, { boundary }: Reader, ids: string[]): Promise<Names> {
  if (ids.length === 0) return []
  return (await entities.told(ids, boundary)).map(({ id, name }) => [id, name])
}

async function slotNames(
  tables: Tables,
  { agentId, boundary }: Reader,
  ids: readonly string[],
): Promise<Names> {
  const told = await tables.claims.toldVersions(ids, boundary)
  const names: [string, string][] = []
  for (const id of told) {
    const claim = (await tables.claims.version(agentId, id))?.claim
    const [entity] = claim ? await tables.entities.load([claim.entity_id]) : []
    if (!claim || !entity) continue
    const group = claim.group_key === 'general' ? [] : [claim.group_name]
    names.push([id, [entity.name, claim.aspect, ...group, claim.claim].join(' > ')])
  }
  return names
}

async function linkNames(
  { entityLinks, entities }: Tables,
  { agentId, boundary }: Reader,
  ids: readonly string[],
): Promise<Names> {
  const names: [string, string][] = []
  for (const id of ids) {
    const link = await entityLinks.told(agentId, id, boundary)
    if (!link) continue
    const ends = await entities.load([link.from_id, link.to_id])
    const nameOf = (end: string) => ends.find(row => row.id === end)?.name ?? end
    names.push([id, `${nameOf(link.from_id)} ${link.relation} ${nameOf(link.to_id)}`])
  }
  return names
}

async function memoryBeginnings(
  { memories }: Tables,
  { boundary }: Reader,
  ids: readonly string[],
): Promise<Names> {
  const rows = await memories.loadRecallable(ids, boundary, {})
  return rows.map(({ id, content }) => [id, clip(content, maxMemory)])
}
