import { renameSync } from 'node:fs'
import { rename } from 'node:fs/promises'

/** Windows refuses to move a file that a virus scanner, an indexer or a reader has open. */
const passing = new Set(['EPERM', 'EACCES', 'EBUSY'])
/** Pauses between the attempts in milliseconds, 1.5 s in all. */
const pausesMs = [10, 20, 40, 80, 150, 240, 240, 240, 240, 240]

/** Tests pass another platform and another rename. */
export interface RenameWith<Result> {
  platform?: NodeJS.Platform
  move?: (from: string, to: string) => Result
}

/** Renames a file; on Windows it tries again while another program has it open. @throws Node's error. */
export async function renamePatiently(
  from: string,
  to: string,
  { platform = process.platform, move = rename }: RenameWith<Promise<void>> = {},
): Promise<void> {
  for (const pauseMs of pausesMs)
    try {
      return await move(from, to)
    } catch (error) {
      if (!mayPass(error, platform)) throw error
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  return move(from, to)
}

/** The same for callers that cannot wait for a promise; it blocks the thread between the attempts. */
export function renamePatientlySync(
  from: string,
  to: string,
  { platform = process.platform, move = renameSync }: RenameWith<void> = {},
): void {
  for (const pauseMs of pausesMs)
    try {
      move(from, to)
      return
    } catch (error) {
      if (!mayPass(error, platform)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  move(from, to)
}

function mayPass(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && passing.has((error as NodeJS.ErrnoException).code ?? '')
}
