import {
  type DuplicateMode,
  type ImportExtraction,
  type ImportSettings,
  importSettings,
} from '../../../../contract/knowledge/sources/source-import.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { noteLifecycle } from '../../../ground/recording/source-lifecycle.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { OntologyDeps } from '../../ontology/model/operation.js'
import type { ReadArtifact } from '../core/kind.js'
import { purgeRemoved } from '../core/purge-removed.js'
import { purgesOf, type SourceDeps } from '../core/runs.js'
import { EventWriter, SourceGone } from '../core/write-events.js'
import { extractFromImport } from './draw-import.js'
import { markUnsupported } from './import.js'
import type { FileToImport, ProjectedFile } from './project-file.js'

/** An extracted file, ready to be stored as a source. */
export interface ExtractedFile extends FileToImport, Omit<ProjectedFile, 'status'> {
  sourceId: string
  agentId: string
  sha256: string
  /** The path, or the file name of an upload. */
  root: string
  /** Last change of the file, if known. */
  updatedAt: string | null
  mode: DuplicateMode
}

/** Imports add a file's statements about itself to the ontology. */
export type ImportDeps = SourceDeps & OntologyDeps

const noExtraction: ImportExtraction = { documentEntityId: null, aspectsCreated: 0, attributesCreated: 0 }

/**
 * Stores a file as a source with one artifact, which is searchable when this returns. Until the last
 * transaction the new source is invisible and the sources it replaces stay.
 * @throws SourceGone when it was removed in the meantime, SourcesFrozen
 */
export async function storeImport(
  deps: ImportDeps,
  caller: Caller,
  file: ExtractedFile,
): Promise<ImportSettings> {
  const { store, clock } = deps
  const startedAt = clock().toISOString()
  const replaced = file.mode === 'replace' ? await importsToReplace(deps, file) : []
  const settings: ImportSettings = {
    fileName: file.fileName,
    format: file.format,
    bytes: file.bytes.length,
    sha256: file.sha256,
    replaces: replaced.map(({ id }) => id),
    extraction: await earlierExtraction(deps, file.sourceId),
  }
  const pass = await begin(deps, caller, file, settings)
  const begun = { scanned: 0, indexed: 0 }
  const writer = new EventWriter(deps, { sourceId: file.sourceId, pass, begun })
  try {
    await writer.add({ event: 'artifact', artifact: artifactOf(file) })
    await writer.flush()
    await store.transaction(tables => commitImport(deps, tables, { file, settings, replaced, startedAt }))
  } catch (error) {
    await removeFailed(deps, file.sourceId)
    throw error
  }
  await purgeRemoved(deps, file.sourceId)
  for (const { id } of replaced) await purgesOf(deps).purge(id)
  await recordLifecycle(deps, file.sourceId, { isNew: pass === 1, startedAt })
  return { ...settings, extraction: await extractStatements(deps, file, settings) }
}

/** Records the lifecycle events: a file has a single pass (sources.md#telemetry). */
async function recordLifecycle(
  deps: SourceDeps,
  id: string,
  { isNew, startedAt }: { isNew: boolean; startedAt: string },
): Promise<void> {
  const passages = (await deps.store.tables.sources.load(id))?.chunks ?? 0
  const told = { kind: 'import', artifacts: 1 }
  const durationMs = deps.clock().getTime() - Date.parse(startedAt)
  if (isNew) await noteLifecycle(deps, { kind: 'import', phase: 'connection' })
  await noteLifecycle(deps, { ...told, phase: 'indexing', outcome: 'complete', passages, durationMs })
  if (isNew) await noteLifecycle(deps, { ...told, phase: 'readiness' })
}

async function earlierExtraction(
  { store }: Pick<SourceDeps, 'store'>,
  id: string,
): Promise<ImportExtraction> {
  const row = await store.tables.sources.load(id)
  return row ? importSettings.parse(JSON.parse(row.settings)).extraction : noExtraction
}

/** Extracts the file's statements about itself; a failure is logged and does not fail the import. */
async function extractStatements(
  deps: ImportDeps,
  { sourceId, root, agentId, fileName, sha256, kind, title, text }: ExtractedFile,
  settings: ImportSettings,
): Promise<ImportExtraction> {
  const { extraction: before } = settings
  try {
    const artifact = await deps.store.tables.sourceArtifacts.byPath(sourceId, root)
    if (!artifact) return before
    const file = { artifactId: artifact.id, agentId, fileName, root, sha256, kind, title, text, before }
    const extraction = await extractFromImport(deps, file)
    const now = deps.clock().toISOString()
    await deps.store.transaction(({ sources }) =>
      sources.change(sourceId, { settings: JSON.stringify({ ...settings, extraction }), updated_at: now }),
    )
    return extraction
  } catch (error) {
    deps.log.warn({ err: error, source: sourceId }, 'no statements extracted from an import')
    return before
  }
}

/** Removes a failed import completely; if even that fails, the next start does it. */
async function removeFailed(deps: SourceDeps, id: string): Promise<void> {
  try {
    const row = await deps.store.tables.sources.load(id)
    if (!row || row.last_indexed_at !== null) return
    await deps.store.transaction(({ sources }) => sources.bury(id, deps.clock().toISOString()))
    await purgesOf(deps).purge(id)
  } catch (error) {
    deps.log.warn({ err: error, source: id }, 'a failed import will be removed at the next start')
  }
}

async function begin(
  { store, clock }: SourceDeps,
  caller: Caller,
  { sourceId: id, agentId, fileName, root }: ExtractedFile,
  settings: ImportSettings,
): Promise<number> {
  const now = clock().toISOString()
  return store.transaction(async tables => {
    const isNew = await tables.sources.insert({
      id,
      agent_id: agentId,
      kind: 'import',
      name: fileName,
      root,
      settings: JSON.stringify(settings),
      exclude_globs: '[]',
      created_by: caller.actor,
      created_at: now,
      updated_at: now,
    })
    if (!isNew && !(await tables.sources.change(id, { updated_at: now }))) throw new SourceGone()
    return tables.sources.nextPass(id)
  })
}

function artifactOf({
  root,
  kind,
  title,
  fileName,
  text,
  updatedAt,
  sha256,
  searched,
}: ExtractedFile): ReadArtifact {
  return {
    path: root,
    kind,
    title: title ?? fileName,
    text,
    names: [fileName],
    updatedAt,
    fingerprint: sha256,
    ...(searched && { searched }),
  }
}

interface ImportCommit {
  file: ExtractedFile
  settings: ImportSettings
  replaced: readonly SourceRow[]
  startedAt: string
}

/** Makes the import visible and removes the sources it replaces. */
async function commitImport(
  deps: SourceDeps,
  tables: Tables,
  { file, settings, replaced, startedAt }: ImportCommit,
): Promise<void> {
  const { clock, newId } = deps
  const { sourceId: id, agentId, fileName: name, root } = file
  const now = clock().toISOString()
  const before = await tables.sources.load(id)
  const facts = { name, root, settings: JSON.stringify(settings), updated_at: now, last_indexed_at: now }
  if (!(await tables.sources.change(id, facts))) throw new SourceGone()
  // The same bytes were imported under another name.
  if (before && before.root !== root) await dropPath(tables, id, before.root)
  await tables.sourceJobs.request(id, { full: false, now })
  const counts = { scanned: 1, indexed: 1, total: 1, partial: 0 }
  await tables.sourceJobs.change(id, {
    status: 'complete',
    ...counts,
    started_at: startedAt,
    ended_at: now,
    updated_at: now,
  })
  for (const old of replaced) {
    if (!(await tables.sources.bury(old.id, now))) continue
    await markUnsupported(deps, tables, { id: old.id, agentId, name: old.name }, 'replaced')
  }
  if (file.mode === 'replace' && before?.last_indexed_at)
    await markUnsupported(deps, tables, { id, agentId, name: before.name }, 'replaced')
  const about = { agent_id: agentId, subject_kind: 'source', subject: id }
  const detail = JSON.stringify({ import: name })
  await tables.attentions.add({ id: newId(), ...about, kind: 'hygiene', detail, created_at: now })
}

async function dropPath(tables: Tables, id: string, path: string): Promise<void> {
  const gone = await tables.sourceArtifacts.markRemoved(id, [path])
  await tables.sources.count(id, { artifacts: -gone.artifacts, chunks: -gone.chunks, covered: -gone.covered })
}

/** Finds earlier imports of the same path, or of the same file name for uploads. */
async function importsToReplace(
  { store }: Pick<SourceDeps, 'store'>,
  { sourceId, agentId, root }: ExtractedFile,
): Promise<SourceRow[]> {
  const rows = await store.tables.sources.list([agentId])
  return rows.filter(
    row => row.kind === 'import' && row.root === root && row.id !== sourceId && row.last_indexed_at !== null,
  )
}
