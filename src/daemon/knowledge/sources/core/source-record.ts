import type {
  ArtifactRecord,
  IndexJob,
  SourceHealth,
  SourceKindName,
  SourceRecord,
} from '../../../../contract/knowledge/sources/source-record.js'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { EmbedderStatus } from '../../../../store/embedding/embedder.js'
import type { ArtifactRow } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { SourceJobRow, SourceRow } from '../../../../store/tables/knowledge/sources.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { codesIn } from '../../../safety/verdict-columns.js'
import { type KindDeps, type KindHealth, kindOf } from './kind.js'
import { toSource } from './run-pass.js'

type Deps = KindDeps & Pick<Daemon, 'embedder'>

/** Age after which an unchanged checkpoint counts as stale. */
const staleMs = 7 * 86_400_000
const faultsShown = 20
const denialsShown = 100

const noSemantic: SourceHealth['semantic'] = {
  entities: 0,
  aspects: 0,
  attributes: 0,
  dependencies: 0,
  communities: 0,
  total: 0,
  documentEntityId: null,
}

const order: readonly SourceHealth['status'][] = ['healthy', 'degraded', 'unhealthy']

/**
 * Builds the API record of a source.
 * @param found the source; it is read again after its job, whose counts it may have to show
 * @param lacking ids of the sources that lack vectors, if already known
 */
export async function sourceRecordOf(
  deps: Deps,
  found: SourceRow,
  lacking?: ReadonlySet<string>,
): Promise<SourceRecord> {
  const { sourceJobs, sources } = deps.store.tables
  const job = await sourceJobs.of(found.id)
  const row = (await sources.load(found.id)) ?? found
  const mayWait = lacking === undefined || lacking.has(row.id)
  const waiting = job && mayWait ? await waitingForVectors(deps, job) : 0
  const health = await sourceHealthOf(deps, row, {
    job,
    trouble: vectorTrouble(waiting, deps.embedder().status()),
  })
  return {
    id: row.id,
    kind: row.kind as SourceKindName,
    name: row.name,
    root: row.root,
    enabled: row.enabled === 1,
    mode: 'read-only',
    agentId: row.agent_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastIndexedAt: row.last_indexed_at,
    excludeGlobs: JSON.parse(row.exclude_globs) as string[],
    stats: { artifacts: row.artifacts, chunks: row.chunks, indexed: row.covered },
    health,
    ...(job && { indexJob: jobWith(deps, job, waiting) }),
  }
}

/** Builds the API records of many sources. Thousands take seconds, so other work gets turns in between. */
export async function sourceRecordsOf(deps: Deps, rows: readonly SourceRow[]): Promise<SourceRecord[]> {
  const breathe = everyFewMs()
  const lacking = new Set(await deps.store.tables.sourceChunks.sourcesToEmbed(deps.embedder().status()))
  const records: SourceRecord[] = []
  for (const row of rows) {
    records.push(await sourceRecordOf(deps, row, lacking))
    await breathe()
  }
  return records
}

/** Counting chunks without vectors stops here. */
const mostCounted = 10_000

/** Builds the API record of an index job, with a message while its passages are found by keywords only. */
export async function jobRecordOf(deps: Deps, job: SourceJobRow): Promise<IndexJob> {
  return jobWith(deps, job, await waitingForVectors(deps, job))
}

/** Counts the chunks of a completely read source that still wait for vectors. */
async function waitingForVectors({ store, embedder }: Deps, job: SourceJobRow): Promise<number> {
  const status = embedder().status()
  if (job.status !== 'complete' || job.status_message !== null || status.provider === 'none') return 0
  return store.tables.sourceChunks.countToEmbed(job.source_id, status, mostCounted)
}

function jobWith({ embedder }: Pick<Deps, 'embedder'>, job: SourceJobRow, waiting: number): IndexJob {
  const status = embedder().status()
  return {
    status: job.status as IndexJob['status'],
    statusMessage: job.status_message ?? (waiting > 0 ? vectorsPending(waiting, status) : null),
    partial: job.partial === 1,
    scanned: job.scanned,
    indexed: job.indexed,
    total: job.total,
    pauseReason: job.pause_reason,
    resumeFrontier: job.resume_frontier,
    startedAt: job.started_at,
    endedAt: job.ended_at,
  }
}

/** Describes the effect of a failing provider: passages are found by keywords only until it is repaired. */
function vectorTrouble(waiting: number, { state, error }: EmbedderStatus): string | undefined {
  if (waiting === 0 || state !== 'failing') return undefined
  return `the embedding provider does not answer${error ? ` (${error})` : ''}: ${byWordsOf(waiting)}; see memory embedding status`
}

function byWordsOf(count: number): string {
  const passages = `${countOf(count, 'passage')}${count === mostCounted ? ' or more' : ''}`
  return `${passages} ${count === 1 ? 'is' : 'are'} only found by keyword`
}

function vectorsPending(count: number, { available, state }: EmbedderStatus): string {
  const byWords = byWordsOf(count)
  if (available) return `embeddings pending: ${byWords} until vectors are made`
  if (state === 'missing')
    return `no embeddings: the embedding model is not on this machine; ${byWords}. Get it with memory embedding pull`
  if (state === 'downloading' || state === 'loading')
    return `embeddings pending: the model is ${state}; ${byWords} until then`
  return `embeddings pending: the provider does not answer; ${byWords}. It will be retried`
}

export function artifactRecordOf(row: ArtifactRow): ArtifactRecord {
  return {
    id: row.id,
    sourceId: row.source_id,
    sourcePath: row.path,
    kind: row.kind,
    title: row.title,
    url: row.url,
    author: row.author,
    updatedAt: row.source_updated_at,
    indexedAt: row.updated_at,
    chunks: row.chunk_count,
    localOnly: row.is_local_only === 1,
    contentSafety: {
      status: row.safety_status as ArtifactRecord['contentSafety']['status'],
      reasons: codesIn(row.safety_reasons),
    },
  }
}

/**
 * Computes the health of a source (sources.md#health) from its rows and the report of its kind.
 * @param trouble a sentence about a problem that makes the source harder to find
 */
async function sourceHealthOf(
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
