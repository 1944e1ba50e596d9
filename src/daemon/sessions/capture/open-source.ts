import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { openForeign } from '../../../lib/files/open-foreign.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { hasRoles } from '../transcripts/readers/plain.js'
import { formatOf, readTranscript } from '../transcripts/readers/read-transcript.js'
import { filePieces, headOf } from '../transcripts/readers/text-pieces.js'
import { isStaged, maxFileBytes, transcriptFile } from '../transcripts/transcript-file.js'
import type { TranscriptMessage } from '../transcripts/transcript-message.js'

/** A transcript that no further attempt can capture; the message says why, without its text. */
export class Uncapturable extends Error {}

/** A file that can't be opened now; its harness may be renaming or locking it. The message names no path. */
export class Unreadable extends Error {}

/** What the system says of one file. Anything else, such as EMFILE, is no fault of the transcript. */
const faultsOfFile = new Set([
  'ENOTREG',
  'EISDIR',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EBUSY',
  'ELOOP',
  'ENAMETOOLONG',
])

/**
 * @throws Uncapturable for a file that is too large, no conversation, or may not be read; Unreadable for one that is
 *   gone or locked.
 */
export async function openSource(
  { budget, paths }: Pick<Daemon, 'budget' | 'paths'>,
  { source, path }: CaptureRow,
): Promise<AsyncIterable<TranscriptMessage>> {
  if (source === 'inline') return readTranscript(filePieces(path), budget)
  // The path was checked when the hook came; until now it may have become a link to something else.
  const checked = await transcriptFile({ paths }, path).catch(error => {
    if (error instanceof AppError && error.cause === undefined)
      throw new Uncapturable('the transcript is no file that may be read any more')
    throw unreadable(error instanceof AppError ? error.cause : error)
  })
  if (!checked) throw new Unreadable("the transcript can't be read: ENOENT")
  if (checked.path !== path) throw new Uncapturable('the transcript has become a link')
  try {
    const file = await openForeign(path)
    try {
      await checkConversation(file, path)
    } catch (error) {
      await file.close()
      throw error
    }
    return readTranscript(filePieces(file), budget)
  } catch (error) {
    throw unreadable(error)
  }
}

/** @throws Uncapturable for what is no conversation. */
async function checkConversation(file: FileHandle, path: string): Promise<void> {
  const found = await file.stat()
  if (!found.isFile() || found.size > maxFileBytes)
    throw new Uncapturable('the transcript is no regular file any more, or has become too large')
  const head = await headOf(file)
  if (formatOf(head) === 'plain' && !(hasRoles(head) && (await mayBePlain(path))))
    throw new Uncapturable('the file holds no conversation in a known format')
}

/** @returns the error itself when it says nothing about the file. */
function unreadable(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code && faultsOfFile.has(code) ? new Unreadable(`the transcript can't be read: ${code}`) : error
}

/** Any text may look like one that says who speaks: only its name, or its place, tells that it is a conversation. */
async function mayBePlain(path: string): Promise<boolean> {
  return /\.(?:txt|md)$/iu.test(path) || (await isStaged({ path }))
}
