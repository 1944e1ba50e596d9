import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { SecretStore } from '../../../store/secrets/secret-store.js'
import { prepare } from './prepare-restore.js'
import { openingKeys } from './seals.js'

interface Deps {
  paths: WorkspacePaths
  clock: () => Date
  log: Logger
  /** Opens a secret store protected by a passphrase. */
  secretsPassphrase?: string | undefined
}

/**
 * Prepares a restore while no daemon runs. It reads no settings: they may be what is broken.
 * @throws AppError `backup_invalid`, `backup_sealed`, `insufficient_storage`
 */
export async function prepareOffline(
  { paths, clock, log, secretsPassphrase }: Deps,
  file: string,
): Promise<void> {
  const folder = paths.secretsDir
  const store = new SecretStore({ folder, clock, log, passphrase: secretsPassphrase })
  await prepare(
    { paths, clock },
    {
      id: file,
      file,
      sha256: null,
      memoriesBefore: null,
      identities: await openingKeys({ store, folder }, { file, key: undefined }),
      signal: new AbortController().signal,
      onProgress: () => undefined,
    },
  )
}
