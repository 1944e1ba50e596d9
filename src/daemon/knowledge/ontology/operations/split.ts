import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { createEntityRow, findEntity } from '../model/entity.js'
import { type OperationKind, rejectedOutcome, type Work } from '../model/operation.js'

/**
 * Splits an entity in two: a new one gets the named facts, links and aliases, and the memories that say them.
 * An alias of the entity may become the name of the new one.
 */
export const splitEntity: OperationKind<'split_entity'> = {
  name: 'split_entity',
  isHygiene: true,
  perform: async (work, payload) => {
    const { tables, reader, now } = work
    const from = await findEntity(tables, reader.agentId, payload.entity)
    if (!from) return rejectedOutcome('entity_not_found')
    const names = [payload.name, ...(payload.aliases ?? [])].map(nameKey)
    if (names.includes('')) return rejectedOutcome('name_without_words')
    if (names.includes(from.name_key)) return rejectedOutcome('alias_is_the_name')
    for (const key of names) {
      const owner = await tables.entities.byName(reader.agentId, key)
      if (owner && owner.id !== from.id) return rejectedOutcome('name_taken')
    }
    const parts = await partsOf(work, from, payload.facts)
    if (typeof parts === 'string') return rejectedOutcome(parts)
    for (const key of names) await tables.entities.retireName(from.id, key)
    const into = await createEntityRow(work, {
      name: payload.name,
      type: payload.type ?? from.entity_type,
      aliases: payload.aliases,
    })
    for (const claim of parts.claims) await tables.claims.moveClaim(claim, into.id)
    for (const link of parts.links) await tables.entityLinks.moveEnd(link, from.id, into.id)
    await tables.entities.mention(into.id, parts.memories)
    await tables.entities.update(from.id, { updated_at: now })
    return { status: 'applied', id: into.id, made: ['entity'] }
  },
}

interface SplitParts {
  claims: ReadonlySet<string>
  links: readonly string[]
  /** Memories that support them. */
  memories: readonly string[]
}

const maxSpans = 1000

/** Finds the slots and links of the named facts. @returns the reason why one of them cannot be moved */
async function partsOf(
  { tables, reader: { agentId, boundary } }: Work,
  from: EntityRow,
  facts: Payload<'split_entity'>['facts'],
): Promise<SplitParts | string> {
  const claims = new Set<string>()
  const links: string[] = []
  for (const id of facts ?? []) {
    const found = await tables.claims.version(agentId, id)
    if (found?.claim.entity_id === from.id) {
      claims.add(found.claim.id)
      continue
    }
    const link = await tables.entityLinks.told(agentId, id, boundary)
    if (link?.from_id !== from.id && link?.to_id !== from.id) return 'version_not_found'
    links.push(id)
  }
  const spans = await tables.evidenceSpans.ofSubjects(facts ?? [], maxSpans)
  const said = spans.filter(({ source_kind }) => source_kind === 'memory').map(({ source_id }) => source_id)
  return { claims, links, memories: [...new Set(said)] }
}
