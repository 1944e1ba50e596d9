import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import { endImport, type RemoveDeps, removeImported } from './remove-imported.js'

/** Imports and fingerprints that one step takes. */
const sliceImports = 20
const sliceFingerprints = 200

/**
 * Takes everything of an agent's imports away for good, fingerprints too. Each step may be repeated.
 * @param goOn called between steps; what it throws ends the work.
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
