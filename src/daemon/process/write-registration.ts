import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { networkMark, processMark } from '../../lib/workspace/process-mark.js'
import { writeRegistration } from '../../store/files/registration-file.js'
import type { Room } from '../ground/storage/room.js'
import type { ListenAddress } from '../platform/daemon/daemon.js'
import type { Heartbeat } from '../platform/nodes/heartbeat.js'

interface RegistrationOptions {
  paths: WorkspacePaths
  instance: string
  version: string
  log: Logger
  clock: () => Date
}

interface ListenState {
  address: ListenAddress
  room: Room
  closing: boolean
}

/**
 * Writes the registration that tells clients where the daemon listens. On a full disk it is written once
 * there is space; until then clients use the address in the settings.
 */
export async function registerWhenRoom(options: RegistrationOptions, state: ListenState): Promise<void> {
  const { paths, instance, version, log, clock } = options
  const { room } = state
  const startedAt = clock().toISOString()
  const mark = processMark(process.pid)
  const network = networkMark()
  const identity = { instance, ...(mark && { process: mark }), ...(network && { network }) }
  let isWritten = false
  const register = async (): Promise<void> => {
    try {
      const own = {
        pid: process.pid,
        ...state.address,
        version,
        startedAt,
        workspace: paths.root,
        ...identity,
      }
      writeRegistration(paths.registration, own)
      isWritten = true
    } catch (error) {
      if (!room.note(error)) throw error
    }
  }
  await register()
  room.onRecovered(() => {
    if (isWritten || state.closing) return
    register().catch(error => log.warn({ err: error }, 'registration not written'))
  })
}

/** For how long a stopping daemon serves on and is not ready, so that a balancer finds another one. */
export function drainMsOf(environment: NodeJS.ProcessEnv): number {
  return Number(environment.SERVICE_DRAIN_MS) || 0
}

/** Begins a stop, of which other daemons of the database know at once. */
export async function leaveBalancer(
  state: Pick<ListenState, 'closing'> & { context?: Pick<Heartbeat, 'endSoon'> },
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  state.closing = true
  state.context?.endSoon()
  const drainMs = drainMsOf(environment)
  if (drainMs > 0) await delay(drainMs)
}
