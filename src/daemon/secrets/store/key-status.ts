import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import type { workspaceKeyStatus } from '../../../contract/secrets/workspace-key.js'
import { type KeyPlace, keysOfWorkspace, recipientOfWorkspace } from '../../ground/secrets/workspace-key.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** The place of the key of this daemon's workspace. */
export function keyPlaceOf({ secrets, paths }: Pick<Daemon, 'secrets' | 'paths'>): KeyPlace {
  return { store: secrets.store, folder: paths.secretsDir }
}

/** Describes the key of the workspace, and names everybody who can open its backups. */
export async function keyStatus(
  daemon: Pick<Daemon, 'secrets' | 'paths' | 'configuration'>,
): Promise<z.input<(typeof workspaceKeyStatus)['response']>> {
  const place = keyPlaceOf(daemon)
  const problem = await keysOfWorkspace(place).then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error.message
      throw error
    },
  )
  const recipient = (await recipientOfWorkspace(place).catch(() => undefined)) ?? null
  return {
    state: problem !== null ? 'closed' : recipient === null ? 'none' : 'ready',
    recipient,
    recipients: recipient === null ? [] : [recipient, ...daemon.configuration().settings.backup.recipients],
    problem,
  }
}
