import type { ImportSettings } from '../../../../contract/knowledge/source-import.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { searchedTextOf } from './searched-text.js'

const pageSize = 100

/**
 * Finishes what a kill cut short: the text of an artifact is stored before its chunks, so that they can be made of it. The
 * file itself may be gone, and is not looked at.
 */
export async function* finishImport(
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
