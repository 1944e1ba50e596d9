import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import { endImport, type RemoveDeps, removeImported } from './remove-imported.js'

/** Imports and fingerprints per step. */
const sliceImports = 20
const sliceFingerprints = 200

/**
 * Permanently deletes all imports of an agent, including fingerprints. Each step can be repeated.
 * @param goOn called between steps; an error it throws ends the work
 */
export async function forgetImports(
  deps: RemoveDeps,
  agentId: string,
  goOn: () => Promise<void>,
): Promise<void> {
  const { store } = deps
  for (;;) {
    const rows: ImportRow[] = await store.tables.imports.page(agentId, { limit: sliceImports, offset: 0 })
    if (rows.length === 0) break
    for (const { id } of rows) {
      await store.transaction(tables => endImport(deps, tables, id))
      await removeImported(deps, id)
      await store.tables.imports.drop([id])
      await goOn()
    }
  }
  while ((await store.tables.importRecords.dropFingerprints(agentId, sliceFingerprints)) > 0) await goOn()
}
