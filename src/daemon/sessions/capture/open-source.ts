import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { openForeign } from '../../../lib/files/open-foreign.js'
import { placeOf } from '../../../lib/workspace/own-file.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { hasRoles } from '../transcripts/readers/plain.js'
import { formatOf, readTranscript } from '../transcripts/readers/read-transcript.js'
import { headOf, readFileSlices } from '../transcripts/readers/text-slices.js'
import { isStaged, maxFileBytes, transcriptFile } from '../transcripts/transcript-file.js'
import type { TranscriptMessage } from '../transcripts/transcript-message.js'

/** A transcript that no further attempt can capture; the message has the reason without content. */
export class UncapturableTranscript extends Error {}

/**
 * A file that can't be opened now, perhaps because its harness renames or locks it. The message has no path.
 */
export class UnreadableTranscript extends Error {}

/** System errors about a single file. Other errors, such as EMFILE, are not caused by the transcript. */
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
 * @param onObject is given every line of a file's log, and every message of a document.
 * @throws UncapturableTranscript for a file that is too large, is not a conversation or may not be read;
 * UnreadableTranscript for one that is missing or locked.
 */
export async function openSource(
  { budget, paths }: Pick<Daemon, 'budget' | 'paths'>,
  { source, path }: CaptureRow,
  onObject?: (value: object) => void,
): Promise<AsyncIterable<TranscriptMessage>> {
  if (source === 'inline') return readTranscript(readFileSlices(path), budget)
  // The hook checked the path, but by now it may be a link to another file.
  const checked = await transcriptFile({ paths }, path).catch(error => {
    if (error instanceof AppError && error.cause === undefined)
      throw new UncapturableTranscript('the transcript may no longer be read')
    throw unreadable(error instanceof AppError ? error.cause : error)
  })
  if (!checked) throw new UnreadableTranscript("the transcript can't be read: ENOENT")
  if (checked.path !== path) throw new UncapturableTranscript('the transcript is now a link')
  try {
    const file = await openForeign(path)
    try {
      await checkConversation(file, path)
    } catch (error) {
      await file.close()
      throw error
    }
    return readTranscript(readFileSlices(file), budget, {}, false, onObject)
  } catch (error) {
    throw unreadable(error)
  }
}

/** @throws UncapturableTranscript for a file that is not a conversation. */
async function checkConversation(file: FileHandle, path: string): Promise<void> {
  const found = await file.stat()
  if ((await placeOf(file, path, found)) !== path)
    throw new UncapturableTranscript('the transcript is now a link')
  if (!found.isFile() || found.size > maxFileBytes)
    throw new UncapturableTranscript('the transcript is no longer a regular file, or is too large')
  const head = await headOf(file)
  if (formatOf(head) === 'plain' && !(hasRoles(head) && (await mayBePlain(path))))
    throw new UncapturableTranscript('the file contains no conversation in a known format')
}

/** @returns the error itself when it is not about the file. */
function unreadable(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code && faultsOfFile.has(code)
    ? new UnreadableTranscript(`the transcript can't be read: ${code}`)
    : error
}

/** Any text may look like a conversation with roles, so its name or folder must confirm it. */
async function mayBePlain(path: string): Promise<boolean> {
  return /\.(?:txt|md)$/iu.test(path) || (await isStaged({ path }))
}
