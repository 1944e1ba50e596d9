import type { SourceHealth } from '../../../../contract/knowledge/sources/source-record.js'
import type { SourceJobRow } from '../../../../store/tables/knowledge/source-jobs.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import { type KindDeps, type KindHealth, kindOf } from './kind.js'
import { toSource } from './run-pass.js'

/** Age after which an unchanged checkpoint counts as stale. */
const staleMs = 7 * 86_400_000
const faultsShown = 20
const denialsShown = 100

/**
 * Computes the health of a source (sources.md#health) from its rows and the report of its kind.
 * @param trouble a sentence about a problem that makes the source harder to find
 */
export async function sourceHealthOf(
  deps: KindDeps,
  row: SourceRow,
  { job, trouble }: { job: SourceJobRow | undefined; trouble: string | undefined },
): Promise<SourceHealth> {
  const now = deps.clock()
  try {
    const facts = await factsOf(deps, row, now)
    const own = await ownHealth(deps, row)
    // The kind may report an issue that is also among the stored faults.
    const told = new Map(
      [...facts.issues, ...(own.issues ?? [])].map(issue => [JSON.stringify(issue), issue]),
    )
    const issues = [...told.values()]
    const health = {
      generatedAt: now.toISOString(),
      ...facts.health,
      semantic: await semanticOf(deps, row, own),
      permission: { status: issues.length > 0 ? ('denied' as const) : ('clear' as const), issues },
      notes: [...(own.notes ?? []), ...(trouble ? [trouble] : [])],
      ...(own.importExtraction && { importExtraction: own.importExtraction }),
    }
    const atLeast = worst(own.status ?? 'healthy', trouble ? 'degraded' : 'healthy')
    return { status: worst(statusOf(health, job), atLeast), ...health }
  } catch (error) {
    deps.log.warn({ err: error, source: row.id }, 'source health check failed')
    return unknown(now)
  }
}

async function factsOf({ store }: KindDeps, row: SourceRow, now: Date) {
  const { sourceArtifacts, sourceChunks, sourceNotes } = store.tables
  const before = new Date(now.getTime() - staleMs).toISOString()
  const { latest, ...checkpoints } = await sourceNotes.countCheckpoints(row.id, before)
  const failures = await sourceNotes.countFaults(row.id)
  const newest = await sourceNotes.newestFaults(row.id, faultsShown)
  const denied = await sourceNotes.denials(row.id, denialsShown)
  return {
    issues: denied.map(({ path, guidance }) => ({ path, guidance: guidance ?? '' })),
    health: {
      latestArtifactAt: await sourceArtifacts.latestUpdate(row.id),
      latestCheckpointAt: latest,
      chunkCoverage: row.artifacts === 0 ? 1 : row.covered / row.artifacts,
      failures: {
        ...failures,
        newest: newest.map(({ path, message, recoverable }) => ({
          path,
          message,
          recoverable: recoverable === 1,
        })),
      },
      checkpoints,
      purge: {
        deletedArtifacts: await sourceArtifacts.countRemoved(row.id),
        orphanChunks: await sourceChunks.countOrphans(row.id),
      },
    },
  }
}

async function ownHealth(deps: KindDeps, row: SourceRow): Promise<KindHealth> {
  const kind = kindOf(deps, row.kind)
  return (await kind?.health?.(deps, toSource(kind, row))) ?? {}
}

/**
 * Counts the entities and facts with evidence in this source, the links between its artifacts and the groups
 * they form.
 */
async function semanticOf(
  { store }: Pick<KindDeps, 'store'>,
  { id, links, communities, agent_id: agentId }: SourceRow,
  { importExtraction }: KindHealth,
): Promise<SourceHealth['semantic']> {
  const { evidenceSpans, entities: known } = store.tables
  const { entities, aspects, attributes, dependencies } = await evidenceSpans.countRestingOn(id)
  const own = importExtraction?.documentEntityId
  return {
    entities,
    aspects,
    attributes,
    dependencies: dependencies + links,
    communities,
    total: entities + aspects + attributes + dependencies + links + communities,
    documentEntityId: (own && (await known.find(agentId, own))?.id) || null,
  }
}

const noSemantic: SourceHealth['semantic'] = {
  entities: 0,
  aspects: 0,
  attributes: 0,
  dependencies: 0,
  communities: 0,
  total: 0,
  documentEntityId: null,
}

type StatusFacts = Pick<SourceHealth, 'failures' | 'checkpoints' | 'permission' | 'chunkCoverage'>

function statusOf(health: StatusFacts, job: SourceJobRow | undefined): SourceHealth['status'] {
  if (job?.status === 'failed') return 'unhealthy'
  const isTroubled =
    health.failures.total > 0 ||
    health.checkpoints.stale > 0 ||
    health.permission.status === 'denied' ||
    job?.status === 'paused' ||
    (job?.status === 'complete' && (health.chunkCoverage < 1 || job.partial === 1))
  return isTroubled ? 'degraded' : 'healthy'
}

const order: readonly SourceHealth['status'][] = ['healthy', 'degraded', 'unhealthy']

function worst(one: SourceHealth['status'], other: SourceHealth['status']): SourceHealth['status'] {
  return order[Math.max(order.indexOf(one), order.indexOf(other))] as SourceHealth['status']
}

function unknown(now: Date): SourceHealth {
  return {
    status: 'unhealthy',
    generatedAt: now.toISOString(),
    latestArtifactAt: null,
    latestCheckpointAt: null,
    chunkCoverage: 0,
    failures: { total: 0, recoverable: 0, newest: [] },
    checkpoints: { total: 0, partial: 0, stale: 0 },
    purge: { deletedArtifacts: 0, orphanChunks: 0 },
    semantic: noSemantic,
    permission: { status: 'clear', issues: [] },
    notes: [],
    error: 'its health could not be checked; see the log',
  }
}
