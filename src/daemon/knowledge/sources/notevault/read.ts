import type { VaultSettings } from '../../../../contract/knowledge/source-kinds.js'
import { inSlices } from '../../../../lib/every-few-ms.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { DocumentFault } from '../../documents/document-fault.js'
import { readLocalFile } from '../../documents/local-file.js'
import { choiceOf } from '../../files/choose-files.js'
import { type ListedFile, listFiles } from '../../files/list-files.js'
import type { KindDeps, Pass, ReadArtifact, Source, SourceEvent } from '../core/kind.js'

const patterns = ['**/*.md', '**/*.canvas', '**/.*/**/*.md']

/** One pass over a vault: what is new or changed is read, what is gone is told. */
export async function* readVault(
  deps: KindDeps,
  { settings }: Source<VaultSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const listing = listFiles({
    root: settings.path,
    choice: choiceOf({ patterns, ignorePatterns: settings.excludeGlobs }),
    signal: pass.signal,
    onFault: () => undefined,
    onEntry: () => undefined,
  })
  for await (const files of listing) {
    for (const file of files) {
      const known = await pass.known(file.id)
      if (known?.fingerprint === fingerprintOf(file)) yield { event: 'same', path: file.id }
      else yield* readNote(deps, file)
    }
  }
  yield { event: 'listed', prefix: '' }
}

function fingerprintOf({ size, mtimeMs, inode }: ListedFile): string {
  return `${size}:${mtimeMs}:${inode}`
}

async function* readNote(deps: KindDeps, file: ListedFile): AsyncGenerator<SourceEvent> {
  try {
    const text = await inSlices(decodeText(await readLocalFile(deps, file.path)))
    const artifact: ReadArtifact = {
      path: file.id,
      kind: 'note',
      title: file.id.slice(file.id.lastIndexOf('/') + 1).replace(/\.[^.]+$/u, ''),
      text,
      updatedAt: new Date(file.mtimeMs).toISOString(),
      fingerprint: fingerprintOf(file),
    }
    yield { event: 'artifact', artifact }
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error
    yield { event: 'fault', path: file.id, message: error.message, isRecoverable: error.isPassing }
  }
}
