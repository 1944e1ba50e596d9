import type {
  CreateImportBody,
  ImportDetails,
  ImportFile,
  ImportJob,
  ImportList,
  ImportState,
  ListImportsQuery,
  RejectionReason,
} from '../../../contract/knowledge/imports.js'
import { type LeftOutKind, leftOutKinds } from '../../../contract/sessions/transcripts.js'
import type { ImportFileRow } from '../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../store/tables/knowledge/imports.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { LeftOut } from '../../sessions/transcripts/transcript-message.js'
import { importAgent } from './registry/registry.js'
import { roomFor } from './uploads/admission.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId'>

/** Rejections per reply. */
const pageSize = 100

/** Creates an import; nothing runs until files are uploaded and it is started. */
export async function createImport(
  { store, clock, newId }: Deps,
  caller: Caller,
  body: CreateImportBody,
): Promise<ImportJob> {
  const id = newId()
  await store.tables.imports.add({
    id,
    agent_id: importAgent(caller, body) ?? defaultAgent,
    adapter: body.adapter,
    adapter_version: body.adapterVersion,
    name: body.name ?? null,
    project: body.project ?? null,
    created_by: caller.actor,
    created_at: clock().toISOString(),
  })
  return toImport((await store.tables.imports.find(id)) as ImportRow)
}

/** Lists the imports of the request's agent, newest first. */
export async function listImports(
  { store, paths }: Pick<Daemon, 'store' | 'paths'>,
  caller: Caller,
  query: ListImportsQuery,
): Promise<ImportList> {
  const { limit, offset } = query
  const agent = importAgent(caller, query) ?? defaultAgent
  const rows = await store.tables.imports.page(agent, { limit, offset })
  const total = await store.tables.imports.count(agent)
  const room = await roomFor({ paths }, await store.tables.importFiles.reserved())
  return { jobs: rows.map(toImport), count: rows.length, total, limit, offset, room }
}

export async function importDetails(
  { store }: Pick<Daemon, 'store'>,
  row: ImportRow,
): Promise<ImportDetails> {
  const files = await store.tables.importFiles.of(row.id)
  return { ...toImport(row), files: files.map(toFile) }
}

/** Returns the next rejections after a cursor. */
export async function rejectionsOf(
  { store }: Pick<Daemon, 'store'>,
  { id }: ImportRow,
  cursor: number,
): Promise<{
  jobId: string
  rejections: { fileId: string; line: number; reason: RejectionReason; message: string }[]
  count: number
  nextCursor: string | null
}> {
  const rows = await store.tables.importRecords.rejections(id, cursor, pageSize + 1)
  const page = rows.slice(0, pageSize)
  return {
    jobId: id,
    rejections: page.map(({ file_id, line, reason, message }) => ({
      fileId: file_id,
      line,
      reason: reason as RejectionReason,
      message,
    })),
    count: page.length,
    nextCursor: rows.length > pageSize ? String(page.at(-1)?.number) : null,
  }
}

/** Counts records by outcome; the counts add up to the total. */
export function reconciliationOf(row: ImportRow): {
  jobId: string
  reconciliation: { status: 'imported' | 'duplicate' | 'rejected' | 'pending'; count: number }[]
} {
  const { imported, duplicate, rejected, pending } = toImport(row)
  const counts = { imported, duplicate, rejected, pending }
  return {
    jobId: row.id,
    reconciliation: (['imported', 'duplicate', 'rejected', 'pending'] as const).map(status => ({
      status,
      count: counts[status],
    })),
  }
}

/** Converts an import's row for replies. */
export function toImport(row: ImportRow): ImportJob {
  const { total, imported, duplicate, rejected, messages } = row
  return {
    id: row.id,
    jobId: row.id,
    agentId: row.agent_id,
    state: row.state as ImportState,
    adapter: row.adapter as ImportJob['adapter'],
    adapterVersion: row.adapter_version,
    name: row.name,
    project: row.project,
    sourceId: row.source_id,
    total,
    imported,
    duplicate,
    rejected,
    pending: total - imported - duplicate - rejected,
    messages,
    leftOut: Object.entries(JSON.parse(row.left_out) as LeftOut).map(([kind, count]) => ({
      kind: kind as LeftOutKind,
      count,
      message: `${leftOutKinds[kind as LeftOutKind]}: ${count}`,
    })),
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    removedAt: row.removed_at,
  }
}

function toFile(row: ImportFileRow): ImportFile {
  return {
    id: row.file_id,
    fileId: row.file_id,
    upload_offset: row.upload_offset,
    upload_generation: row.upload_generation,
    upload_size: row.upload_size,
    upload_digest: row.upload_digest,
    sealed: row.sealed_at !== null,
    cleanup_state: row.cleanup_pending === 1 ? 'pending' : 'complete',
    total: row.counted_records,
    imported: row.imported,
    duplicate: row.duplicate,
    rejected: row.rejected,
  }
}
