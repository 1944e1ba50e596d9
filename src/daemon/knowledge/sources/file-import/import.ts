import { type ImportSettings, importSettings } from '../../../../contract/knowledge/source-import.js'
import type { SourceKind } from '../core/kind.js'
import { markUnsupported } from './mark-unsupported.js'
import { finishImport } from './read.js'
import { searchedTextOf } from './searched-text.js'

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
