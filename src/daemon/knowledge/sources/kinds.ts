import { transcriptImports } from '../transcript-import/removal/transcript-imports.js'
import { eitherKind } from './core/either-kind.js'
import type { SourceKind } from './core/kind.js'
import { chatguild } from './discord/chatguild.js'
import { importedFiles } from './file-import/import.js'
import { coderepo } from './github/coderepo.js'
import { notevault } from './obsidian/notevault.js'

/** Every kind of sources that can be read. */
export const kinds: readonly SourceKind<unknown>[] = [
  notevault,
  coderepo,
  chatguild,
  eitherKind(importedFiles, transcriptImports),
]
