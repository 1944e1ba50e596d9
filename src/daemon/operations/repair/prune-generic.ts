import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { Operation as OntologyOperation } from '../../../contract/knowledge/ontology-operations.js'
import type {
  pruneGenericEntities as endpoint,
  RepairReply,
} from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { EntityCursor, EntityRow } from '../../../store/tables/knowledge/entities.js'
import { isGenericName } from '../../ground/entities/low-signal.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { performOperations } from '../../knowledge/ontology/perform-operation.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { RepairRun } from './run/run-repair.js'

type Body = z.infer<typeof endpoint.body> & { agentId: string }
type Reason = 'limit' | 'deadline' | 'cancellation' | 'system pressure'

/** Entities per statement. */
const pageSize = 100
/** Time limit of one call. */
const scanMs = 2000
/** An event loop turn this long shows that the machine is busy. */
const busyTurnMs = 250
/** Limit for counting the remaining entities. */
const maxCounted = 10_000
const maxAliases = 50

/** Progress of a call. */
interface Scan {
  inspected: number
  candidates: EntityRow[]
  cursor: EntityCursor | undefined
  /** Why the scan ended before the last entity. */
  reason: Reason | undefined
}

/**
 * Removes entities with meaningless names (`the system`, `users`, `2024`) that are not pinned and have no
 * facts or links. A dry run, the default, lists them. Scans newest first within limits; the cursor marks
 * where to continue. Each removal is a recorded ontology operation.
 */
export async function pruneGeneric(
  daemon: Daemon,
  caller: Caller,
  run: RepairRun,
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
    message: `${what} of ${inspected} ${dryRun ? 'would be' : 'were'} removed${isComplete ? '' : '; continue with the cursor'}`,
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

/** @returns the removed entities; the record of operations explains the others. */
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
      reason: 'repair: its name is meaningless, and it has no facts',
      confidence: 1,
      evidence: [],
    }
  })
  const performed = await performOperations(daemon, caller, { operations, mode: 'apply', agentId })
  return entities.filter((_, at) => performed[at]?.status === 'applied')
}
