import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { prepare } from './prepare-restore.js'

/**
 * Prepares a restore while no daemon runs. It reads no settings: they may be what is broken.
 * @throws AppError `backup_invalid`, `insufficient_storage`
 */
export async function prepareOffline(
  { paths, clock }: { paths: WorkspacePaths; clock: () => Date },
  file: string,
): Promise<void> {
  await prepare(
    { paths, clock },
    {
      id: file,
      file,
      sha256: null,
      memoriesBefore: null,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    },
  )
}
