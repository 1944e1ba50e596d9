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

/** A source as the API shows it. @param lacking the sources that lack vectors, where that was looked up already */
export async function sourceRecordOf(
  deps: Deps,
  row: SourceRow,
  lacking?: ReadonlySet<string>,
): Promise<SourceRecord> {
  const job = await deps.store.tables.sourceJobs.of(row.id)
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

/** Sources as the API shows them: of thousands, which imports may be, it takes seconds, with turns for others. */
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

/** At most so many chunks without vectors are counted. */
const mostCounted = 10_000

/** An index job as the API shows it; what is found by words only so far says so. */
export async function shownJob(deps: Deps, job: SourceJobRow): Promise<IndexJob> {
  return jobWith(deps, job, await waitingForVectors(deps, job))
}

/** Chunks of a source that was read and that a provider of vectors is still to be asked for. */
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

/** What a provider that fails costs a source: its passages are found by words alone until somebody mends it. */
function vectorTrouble(waiting: number, { state, error }: EmbedderStatus): string | undefined {
  if (waiting === 0 || state !== 'failing') return undefined
  return `the embedding provider does not answer${error ? ` (${error})` : ''}: ${byWordsOf(waiting)} alone; memory embedding status tells more`
}

function byWordsOf(count: number): string {
  const passages = `${countOf(count, 'passage')}${count === mostCounted ? ' or more' : ''}`
  return `${passages} ${count === 1 ? 'is' : 'are'} found by words`
}

function vectorsPending(count: number, { available, state }: EmbedderStatus): string {
  const byWords = byWordsOf(count)
  if (available) return `embeddings pending: ${byWords} until vectors are made`
  if (state === 'missing')
    return `no embeddings: there is no embedding model on this machine; ${byWords}. memory embedding pull gets one`
  if (state === 'downloading' || state === 'loading')
    return `embeddings pending: the model is ${state}; ${byWords} until then`
  return `embeddings pending: the provider does not answer; ${byWords}, and it is asked again`
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
