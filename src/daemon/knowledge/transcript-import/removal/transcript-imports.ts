import { z } from 'zod'
import { renewSummary } from '../../../sessions/synthesis/synthesis-worker.js'
import type { SourceKind } from '../../sources/core/kind.js'
import { markUnsupported } from '../../sources/file-import/mark-unsupported.js'
import { endImport, removeImported } from './remove-imported.js'

const settings = z.object({ transcripts: z.string() })

/**
 * Imports of transcripts as sources (imports.md#removing): their conversations are searched as sessions, so a
 * pass has nothing to read. Removing the source deletes its conversations.
 */
export const transcriptImports: SourceKind<z.infer<typeof settings>> = {
  kind: 'import',
  settings,
  identityOf: ({ transcripts }) => transcripts,
  describe: ({ transcripts }) => ({ name: 'transcripts', root: `transcripts/${transcripts}` }),
  read: async function* () {
    yield { event: 'status', message: 'its conversations are found by searches of sessions' }
  },
  onBury: async (deps, tables, source) => {
    await endImport(deps, tables, source.settings.transcripts)
    await markUnsupported(deps, tables, source, 'removed')
  },
  cleanUp: async (deps, source) => {
    await removeImported(deps, source.settings.transcripts)
    await renewSummary(deps)
  },
}
