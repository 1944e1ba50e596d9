import type {
  ArtifactRecord,
  IndexJob,
  SourceKindName,
  SourceRecord,
} from '../../../../contract/knowledge/sources/source-record.js'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { EmbedderStatus } from '../../../../store/embedding/embedder.js'
import type { ArtifactRow } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { SourceJobRow } from '../../../../store/tables/knowledge/source-jobs.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { codesIn } from '../../../safety/verdict-columns.js'
import { sourceHealthOf } from './health.js'
import type { KindDeps } from './kind.js'

type Deps = KindDeps & Pick<Daemon, 'embedder'>

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
