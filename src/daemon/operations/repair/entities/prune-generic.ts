import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { Operation as OntologyOperation } from '../../../../contract/knowledge/ontology-operations.js'
import type {
  pruneGenericEntities as endpoint,
  RepairReply,
} from '../../../../contract/operations/repair/repair.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { EntityCursor, EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { isGenericName } from '../../../ground/entities/generic-name.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { performOperations } from '../../../knowledge/ontology/perform-operations.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Run } from '../run/run-repair.js'

type Body = z.infer<typeof endpoint.body> & { agentId: string }
type Reason = 'limit' | 'deadline' | 'cancellation' | 'system pressure'

/** Entities that one statement reads. */
const pageSize = 100
/** Time that one call looks for. */
const scanMs = 2000
/** A turn of the event loop that takes so long says that the machine is busy with others. */
const busyTurnMs = 250
/** Entities behind the cursor that are counted. */
const maxCounted = 10_000
const maxAliases = 50

/** How far a call came. */
interface Scan {
  inspected: number
  candidates: EntityRow[]
  cursor: EntityCursor | undefined
  /** Why it ended before the last entity. */
  reason: Reason | undefined
}

/**
 * Takes out entities whose names say nothing (`the system`, `users`, `2024`), that nobody pinned and of which nothing is
 * known: no claim, no link. A dry run, which is the default, says which. Newest first, within limits and a time; what is
 * left begins at the cursor. Each goes by an operation of the ontology, with its record.
 */
export async function pruneGeneric(
  daemon: Daemon,
  caller: Caller,
  run: Run,
  body: Body,
): Promise<RepairReply> {
  const { agentId, candidateLimit, inspectionLimit, dryRun } = body
  const scan = await findGeneric(daemon, run.signal, body)
  const pruned = dryRun ? scan.candidates : await prune(daemon, caller, agentId, scan.candidates)
  const { cursor, reason, inspected } = scan
  const remaining = reason ? await daemon.store.tables.entities.countBehind(agentId, cursor, maxCounted) : 0
  const isComplete = reason === undefined
  const what = countOf(pruned.length, 'entity', 'entities')
  return {
    action: run.action,
    success: true,
    affected: pruned.length,
    message: `${what} of ${inspected} ${dryRun ? 'would be' : 'were'} taken out${isComplete ? '' : '; go on with the cursor'}`,
    details: {
      status: isComplete ? 'complete' : 'partial',
      complete: isComplete,
      candidateLimit,
      inspectionLimit,
      inspected,
      matched: scan.candidates.length,
      remaining,
      reason: reason ?? null,
      cursor: reason && cursor ? { updatedAt: cursor.updated_at, id: cursor.id } : null,
      entities: pruned.map(({ id, name, entity_type: type, mentions }) => ({ id, name, type, mentions })),
    },
  }
}

async function findGeneric(
  { store, hooksInFlight }: Pick<Daemon, 'store' | 'hooksInFlight'>,
  signal: AbortSignal,
  { agentId, candidateLimit, inspectionLimit, cursor: given }: Body,
): Promise<Scan> {
  const until = performance.now() + scanMs
  const scan: Scan = {
    inspected: 0,
    candidates: [],
    cursor: given ? { updated_at: given.updatedAt, id: given.id } : undefined,
    reason: undefined,
  }
  for (;;) {
    const page = await store.tables.entities.page(agentId, scan.cursor, pageSize)
    for (const entity of page) {
      if (scan.inspected >= inspectionLimit || scan.candidates.length >= candidateLimit)
        return { ...scan, reason: 'limit' }
      scan.inspected++
      scan.cursor = { updated_at: entity.updated_at, id: entity.id }
      const isGeneric = entity.pinned === 0 && isGenericName(entity.name)
      if (isGeneric && !(await store.tables.entities.isKnownOf(entity.id))) scan.candidates.push(entity)
    }
    if (page.length < pageSize) return scan
    const turn = performance.now()
    await nextTurn()
    if (signal.aborted) return { ...scan, reason: 'cancellation' }
    if (performance.now() - turn > busyTurnMs) return { ...scan, reason: 'system pressure' }
    await hooksInFlight.quiet(signal)
    if (performance.now() > until) return { ...scan, reason: 'deadline' }
  }
}

/** @returns those that are gone. What became of the others is in the record of operations. */
async function prune(
  daemon: Daemon,
  caller: Caller,
  agentId: string,
  entities: readonly EntityRow[],
): Promise<EntityRow[]> {
  const names = await daemon.store.tables.entities.namesOf(entities.map(({ id }) => id))
  const operations = entities.map(({ id, name, entity_type: type }): OntologyOperation => {
    const aliases = names.filter(one => one.entity_id === id && one.name !== name).map(one => one.name)
    return {
      operation: 'prune_entity',
      payload: { entity: id, name, type, aliases: aliases.slice(0, maxAliases) },
      reason: 'repair: its name says nothing, and nothing is known of it',
      confidence: 1,
      evidence: [],
    }
  })
  const performed = await performOperations(daemon, caller, { operations, mode: 'apply', agentId })
  return entities.filter((_, at) => performed[at]?.status === 'applied')
}
