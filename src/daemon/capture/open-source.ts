import { open } from 'node:fs/promises'
import type { CaptureRow } from '../../store/tables/transcript-captures.js'
import type { Daemon } from '../daemon.js'
import { hasRoles } from './readers/plain.js'
import { formatOf, readTranscript } from './readers/read-transcript.js'
import { filePieces, headOf } from './readers/text-pieces.js'
import { maxFileBytes } from './transcript-file.js'
import type { TranscriptMessage } from './transcript-message.js'

/** A transcript that no further attempt can capture; the message says why, without its text. */
export class Uncapturable extends Error {}

/** @throws Uncapturable for a file that is gone, too large, or no conversation. */
export async function openSource(
  { budget }: Pick<Daemon, 'budget'>,
  { source, path }: CaptureRow,
): Promise<AsyncIterable<TranscriptMessage>> {
  if (source === 'inline') return readTranscript(filePieces(path), budget)
  try {
    const file = await open(path, 'r')
    const found = await file.stat()
    if (!found.isFile() || found.size > maxFileBytes) {
      await file.close()
      throw new Uncapturable('the transcript is no regular file any more, or has become too large')
    }
    const head = await headOf(file)
    if (formatOf(head) === 'plain' && !hasRoles(head)) {
      await file.close()
      throw new Uncapturable('the file holds no conversation in a known format')
    }
    return readTranscript(filePieces(file), budget)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES')
      throw new Uncapturable(`the transcript can't be read: ${code}`)
    throw error
  }
}
