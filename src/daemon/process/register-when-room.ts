import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { writeRegistration } from '../../store/files/registration-file.js'
import type { Room } from '../ground/storage/room.js'
import type { ListenAddress } from '../platform/daemon/daemon.js'

interface Registering {
  paths: WorkspacePaths
  version: string
  log: Logger
  clock: () => Date
}

interface Listening {
  address: ListenAddress
  room: Room
  closing: boolean
}

/**
 * Tells clients where the daemon listens. Without room for it they ask where the settings say that it listens, until
 * there is.
 */
export async function registerWhenRoom(options: Registering, state: Listening): Promise<void> {
  const { paths, version, log, clock } = options
  const { room } = state
  const startedAt = clock().toISOString()
  let isWritten = false
  const register = async (): Promise<void> => {
    try {
      const own = { pid: process.pid, ...state.address, version, startedAt, workspace: paths.root }
      await writeRegistration(paths.registration, own)
      isWritten = true
    } catch (error) {
      if (!room.note(error)) throw error
    }
  }
  await register()
  room.onRecovered(() => {
    if (isWritten || state.closing) return
    register().catch(error => log.warn({ err: error }, 'not registered'))
  })
}
