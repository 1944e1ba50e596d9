import { open } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { looksSealed } from '../../../lib/keys/sealed-stream.js'
import {
  identitiesOfWorkspace,
  identityOf,
  type KeyPlace,
  recipientOfWorkspace,
} from '../../ground/secrets/workspace-key.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keyPlaceOf } from '../../secrets/store/key-status.js'

/**
 * Public keys that a new backup is sealed to: that of the workspace, and `backup.recipients`.
 * @returns an empty list for a workspace without a key
 * @throws AppError `backup_failed` when only others could open it; the errors of the secret store
 */
export async function backupRecipients(
  daemon: Pick<Daemon, 'secrets' | 'paths' | 'configuration'>,
): Promise<string[]> {
  const { recipients } = daemon.configuration().settings.backup
  const own = await recipientOfWorkspace(keyPlaceOf(daemon))
  if (own !== undefined) return [own, ...recipients]
  if (recipients.length === 0) return []
  throw new AppError(
    'backup_failed',
    'backup.recipients is set, but this workspace has no key of its own to open the backup with; create it: memory key create',
  )
}

/**
 * Secret keys that may open a sealed archive.
 * @param key what the caller gave: a recovery code or a secret key of age
 * @throws AppError `validation_failed` for a mistyped key, `secret_store_locked`
 */
export async function openingKeys(
  place: KeyPlace,
  { file, key }: { file: string; key: string | undefined },
): Promise<string[]> {
  if (!(await isSealed(file))) return []
  if (key !== undefined) return [identityOf(key)]
  return identitiesOfWorkspace(place).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'secret_store_locked') throw error
    return []
  })
}

async function isSealed(file: string): Promise<boolean> {
  try {
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0)
      return looksSealed(buffer.subarray(0, bytesRead))
    } finally {
      await handle.close()
    }
  } catch {
    // The reader of the archive says why.
    return false
  }
}
