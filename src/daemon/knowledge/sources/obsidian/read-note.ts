import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { DocumentFault } from '../../documents/document-fault.js'
import { readLocalFile } from '../../documents/local-file.js'
import type { ListedFile } from '../../files/list-files.js'
import type { KindDeps, ReadArtifact, SourceEvent } from '../core/kind.js'
import { guidanceFor } from './list-vault.js'
import { parseCanvas } from './parse-canvas.js'
import { parseNote } from './parse-note.js'

/** A file changed this recently may change again within the same timestamp tick of its disk. */
const unsettledMs = 3000

/** Returns the fingerprint of a file; it differs each time while the file may still change. */
export function fingerprintOf(file: ListedFile, nowMs: number): string {
  const isSettled = file.mtimeMs < nowMs - unsettledMs
  return `${stableFingerprint(file)}${isSettled ? '' : '~'}`
}

/** Returns the fingerprint without the time check; it also recognises a moved file. */
export function stableFingerprint({ size, mtimeMs, inode }: ListedFile): string {
  return `${size}:${mtimeMs}:${inode}`
}

/**
 * True for a file whose content is only in iCloud: reading it would download it and block a thread until
 * then.
 */
export function isEvicted(
  { size, blocks }: Pick<ListedFile, 'size' | 'blocks'>,
  platform = process.platform,
): boolean {
  return platform === 'darwin' && size > 0 && blocks === 0
}

/** Reads one note or canvas: an artifact, a fault, or undefined if the file has been deleted. */
export async function readNote(deps: KindDeps, file: ListedFile): Promise<SourceEvent | undefined> {
  try {
    const text = await inSlices(decodeText(await readLocalFile(deps, file.path)))
    const artifact = await (file.id.endsWith('.canvas') ? canvasOf(file, text) : noteOf(file, text))
    if (artifact === undefined)
      return {
        event: 'fault',
        path: file.id,
        message: 'it is not a valid canvas: its JSON is broken',
        isRecoverable: false,
      }
    const fingerprint = fingerprintOf(file, deps.clock().getTime())
    return { event: 'artifact', artifact: { ...artifact, fingerprint } }
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error
    const { cause } = error
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined
    const guidance = cause === undefined ? undefined : guidanceFor(cause, file.path)
    return {
      event: 'fault',
      path: file.id,
      message: error.message,
      isRecoverable: error.isPassing,
      ...(guidance && { guidance }),
    }
  }
}

type NoteContent = Omit<ReadArtifact, 'fingerprint'>

async function noteOf(file: ListedFile, text: string): Promise<NoteContent> {
  return { ...factsOf(file), kind: 'note', text, ...(await inSlices(parseNote(text))) }
}

async function canvasOf(file: ListedFile, json: string): Promise<NoteContent | undefined> {
  const canvas = await parseCanvas(json)
  return canvas && { ...factsOf(file), kind: 'canvas', ...canvas }
}

/** A note's title is its file name. */
function factsOf({ id, mtimeMs }: ListedFile): Pick<NoteContent, 'path' | 'title' | 'updatedAt'> {
  const title = id.slice(id.lastIndexOf('/') + 1).replace(/\.(?:md|canvas)$/iu, '')
  return { path: id, title, updatedAt: new Date(mtimeMs).toISOString() }
}
