import { type ImportSettings, importSettings } from '../../../../contract/knowledge/sources/source-import.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { KindDeps, Pass, Source, SourceEvent, SourceKind } from '../core/kind.js'
import { markUnsupported } from './mark-unsupported.js'
import { searchedTextOf } from './project-file.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'startedAt'>

const pageSize = 100

/** Files that were handed over (sources.md#importing-files): read once, so that a pass has nothing to look at anew. */
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
 * Finishes what a kill cut short: the text of an artifact is stored before its chunks, so that they can be made of it. The
 * file itself may be gone, and is not looked at.
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
 * What a kill left of imports: a file that was not whole goes, since nobody was told that it is there; one that was being
 * read again is finished from its text.
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
