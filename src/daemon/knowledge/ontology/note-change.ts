import type { Operation, OperationName } from '../../../contract/knowledge/ontology-operations.js'
import { dayMs } from '../../../lib/time/time.js'
import { changedRows, type ImageScope } from '../../../store/tables/knowledge/ontology-changes.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Caller, isAutonomous } from '../../ground/visibility/caller.js'
import { findEntity } from './model/entity.js'
import type { Mode, OntologyDeps } from './model/operation.js'

/** Operations on names and whole entities, which a person can undo. */
const named: readonly OperationName[] = ['merge_entities', 'split_entity', 'add_alias', 'retire_alias']
/** A larger entity would be copied for too long while requests wait. */
const maxRows = 20_000
/** Days for which a change can be undone, as with memories. */
export const undoDays = 30

/** True for what a person does by hand; work of agents and of Dreaming is not recorded for an undo. */
export function isUndoable(caller: Caller, { operation }: Pick<Operation, 'operation'>, mode: Mode): boolean {
  return mode === 'decide' || (mode === 'apply' && named.includes(operation) && !isAutonomous(caller))
}

type ChangedThing = Pick<Operation, 'operation' | 'payload'> & {
  proposals: readonly string[]
  title?: string
}

/**
 * Begins a change that can be undone, inside its transaction.
 * @returns `end`, which records the rows that differ by then; undefined for an entity too large to copy
 */
export async function beginChange(tables: Tables, agentId: string, change: ChangedThing) {
  const first = await scopeOf(tables, agentId, change)
  for (const id of first.entities) if ((await tables.entities.size(id)) > maxRows) return undefined
  const before = await tables.ontologyChanges.images(first)
  return {
    end: async (
      { clock, newId }: Pick<OntologyDeps, 'clock' | 'newId'>,
      { batch, caller }: { batch: string; caller: Caller },
    ): Promise<void> => {
      const then = await scopeOf(tables, agentId, change)
      const entities = [...new Set([...first.entities, ...then.entities])]
      const rows = changedRows(before, await tables.ontologyChanges.images({ ...then, entities }))
      if (rows.length === 0) return
      const now = clock()
      await tables.ontologyChanges.purge(agentId, new Date(now.getTime() - undoDays * dayMs).toISOString())
      await tables.ontologyChanges.insert({
        id: newId(),
        agent_id: agentId,
        batch,
        kind: change.proposals.length > 0 ? 'decision' : change.operation,
        title: change.title ?? titleOf(change),
        details: JSON.stringify(rows),
        at: now.toISOString(),
        by: caller.actor,
        undone_at: null,
      })
    },
  }
}

/** The entities that an operation names, by their present ids. */
async function scopeOf(
  tables: Tables,
  agentId: string,
  { payload, proposals }: ChangedThing,
): Promise<ImageScope> {
  const fields = payload as Readonly<Record<string, unknown>>
  const entities: string[] = []
  for (const field of ['entity', 'from', 'into', 'to', 'name']) {
    const value = fields[field]
    const found = typeof value === 'string' ? await findEntity(tables, agentId, value) : undefined
    if (found) entities.push(found.id)
  }
  if (typeof fields.version === 'string') {
    const found = await tables.claims.version(agentId, fields.version)
    if (found) entities.push(found.claim.entity_id)
  }
  return { entities, proposals }
}

function titleOf({ operation, payload }: ChangedThing): string {
  const { entity, from, into, name, alias, claim, value, relation, to } = payload as Readonly<
    Record<string, string | undefined>
  >
  const parts = [
    operation.replaceAll('_', ' '),
    entity ?? from ?? name,
    claim ?? relation,
    alias,
    into ?? to,
    value,
  ]
  return parts.filter(Boolean).join(' ')
}
