import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { DocumentFault } from '../../documents/document-fault.js'
import { readLocalFile } from '../../documents/local-file.js'
import type { ListedFile } from '../../files/list-files.js'
import type { KindDeps, ReadArtifact, SourceEvent } from '../core/kind.js'
import { guidanceFor } from './list-vault.js'
import { parseCanvas } from './parse-canvas.js'
import { parseNote } from './parse-note.js'

/** A file that was changed so shortly before it was looked at may change again within the same tick of its disk. */
const unsettledMs = 3000

/** By which a file is known to be unchanged; another one each time while it is unsettled. */
export function fingerprintOf(file: ListedFile, nowMs: number): string {
  const isSettled = file.mtimeMs < nowMs - unsettledMs
  return `${settledPrint(file)}${isSettled ? '' : '~'}`
}

/** The same without a look at the time: by it a file is known at another place of its disk. */
export function settledPrint({ size, mtimeMs, inode }: ListedFile): string {
  return `${size}:${mtimeMs}:${inode}`
}

/** A file in iCloud whose content is not on this machine: reading it would fetch it and hold up a thread meanwhile. */
export function isEvicted(
  { size, blocks }: Pick<ListedFile, 'size' | 'blocks'>,
  platform = process.platform,
): boolean {
  return platform === 'darwin' && size > 0 && blocks === 0
}

/** One note or canvas as an event: an artifact, a fault, or nothing where it went away meanwhile. */
export async function readNote(deps: KindDeps, file: ListedFile): Promise<SourceEvent | undefined> {
  try {
    const text = await inSlices(decodeText(await readLocalFile(deps, file.path)))
    const artifact = await (file.id.endsWith('.canvas') ? canvasOf(file, text) : noteOf(file, text))
    if (artifact === undefined)
      return {
        event: 'fault',
        path: file.id,
        message: 'it is no canvas: its JSON is broken',
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

type Unsigned = Omit<ReadArtifact, 'fingerprint'>

async function noteOf(file: ListedFile, text: string): Promise<Unsigned> {
  return { ...factsOf(file), kind: 'note', text, ...(await inSlices(parseNote(text))) }
}

async function canvasOf(file: ListedFile, json: string): Promise<Unsigned | undefined> {
  const canvas = await parseCanvas(json)
  return canvas && { ...factsOf(file), kind: 'canvas', ...canvas }
}

/** A note has the name of its file. */
function factsOf({ id, mtimeMs }: ListedFile): Pick<Unsigned, 'path' | 'title' | 'updatedAt'> {
  const title = id.slice(id.lastIndexOf('/') + 1).replace(/\.(?:md|canvas)$/iu, '')
  return { path: id, title, updatedAt: new Date(mtimeMs).toISOString() }
}
