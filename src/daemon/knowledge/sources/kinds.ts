import { transcriptImports } from '../imports/removal/transcript-imports.js'
import { chatguild } from './chatguild/chatguild.js'
import { coderepo } from './coderepo/coderepo.js'
import { eitherKind } from './core/either-kind.js'
import type { SourceKind } from './core/kind.js'
import { importedFiles } from './import/import.js'
import { notevault } from './notevault/notevault.js'

/** Every kind of sources that can be read. */
export const kinds: readonly SourceKind<unknown>[] = [
  notevault,
  coderepo,
  chatguild,
  eitherKind(importedFiles, transcriptImports),
]
