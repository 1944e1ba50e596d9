import { type ImportSettings, importSettings } from '../../../../contract/knowledge/sources/source-import.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { KindDeps, Pass, Source, SourceEvent, SourceKind } from '../core/kind.js'
import { searchedTextOf } from './project-file.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'startedAt'>

const pageSize = 100

/** Imported files (sources.md#importing-files). Each is read once, so a later pass has nothing to read. */
export const importedFiles: SourceKind<ImportSettings> = {
  kind: 'import',
  settings: importSettings,
  identityOf: ({ sha256 }) => sha256,
  describe: ({ fileName }) => ({ name: fileName, root: fileName }),
  read: finishImport,
  searchedOf: searchedTextOf,
  health: async (_deps, { settings }) => ({ importExtraction: settings.extraction }),
  onBury: (deps, tables, source) => markUnsupported(deps, tables, source, 'removed'),
}

/**
 * Completes interrupted imports from the stored text, because the text is written before its chunks. The
 * original file may be gone and is not read.
 */
async function* finishImport(
  deps: KindDeps,
  { id, settings }: Source<ImportSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const { sourceArtifacts } = deps.store.tables
  for (let after = ''; ; ) {
    const page = await pass.knownAfter({ after, limit: pageSize })
    for (const { path, fingerprint } of page) {
      const row = fingerprint === '' ? await sourceArtifacts.byPath(id, path) : undefined
      const text = row && (await sourceArtifacts.textOf(row.id))
      if (row === undefined || text === undefined) {
        yield { event: 'scanned', count: 1 }
        continue
      }
      const searched = await searchedTextOf(deps, { kind: row.kind, text })
      yield {
        event: 'artifact',
        artifact: {
          path,
          kind: row.kind,
          title: row.title,
          text,
          names: JSON.parse(row.names) as string[],
          ...(row.author !== null && { author: row.author }),
          updatedAt: row.source_updated_at,
          fingerprint: settings.sha256,
          ...(searched && { searched }),
        },
      }
    }
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.path
  }
}

/**
 * Recovers imports after a kill: removes new files that were not complete, because no caller got a reply
 * about them, and completes repeated ones from their text.
 */
export async function recoverImports({ store, clock, startedAt }: Deps): Promise<void> {
  const now = clock().toISOString()
  const before = startedAt.toISOString()
  for (const row of await store.tables.sources.all()) {
    const isFile = row.kind === 'import' && 'sha256' in (JSON.parse(row.settings) as object)
    if (!isFile || row.updated_at >= before) continue
    if (row.last_indexed_at === null) await store.transaction(({ sources }) => sources.bury(row.id, now))
    else if (row.covered < row.artifacts)
      await store.transaction(({ sourceJobs }) => sourceJobs.request(row.id, { full: false, now }))
  }
}

/**
 * Marks facts from an import as no longer supported and queues them for review. The facts and their spans
 * stay (sources.md#removing). Call it in the transaction that removes the import.
 */
export async function markUnsupported(
  { newId, clock }: Pick<KindDeps, 'newId' | 'clock'>,
  tables: Tables,
  source: { id: string; agentId: string; name: string },
  why: 'removed' | 'replaced',
): Promise<void> {
  const about = { agent_id: source.agentId, subject_kind: 'source', subject: source.id }
  const created_at = clock().toISOString()
  const detail = JSON.stringify({ lifecycle: 'unsupported', why, name: source.name, at: created_at })
  for (const kind of ['unsupported_source', 'review_due'])
    await tables.attentions.add({ id: newId(), ...about, kind, detail, created_at })
}
