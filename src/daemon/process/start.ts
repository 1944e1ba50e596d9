import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { AppError } from '../../contract/ground/errors.js'
import { deferred } from '../../lib/deferred.js'
import type { WorkspacePaths } from '../../lib/paths.js'
import { readRegistration } from '../../lib/registration.js'
import { within } from '../../lib/within.js'
import { removeRegistration, writeRegistration } from '../../store/files/registration-file.js'
import { takeInstanceLock } from '../../store/instance-lock.js'
import { type SettingsWatch, watchSettings } from '../ground/settings/settings-in-force.js'
import { createRoom } from '../ground/storage/room.js'
import { memoryRoutes } from '../memory/domain.js'
import { embeddingsRoutes } from '../memory/embeddings/domain.js'
import { systemRoutes } from '../operations/system/domain.js'
import { transferRoutes } from '../operations/transfer/domain.js'
import { type Auth, createAuth } from '../platform/auth/auth.js'
import { authRoutes } from '../platform/credentials/domain.js'
import { askSelf } from '../platform/daemon/ask-self.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { PeriodicWork } from '../platform/jobs/periodic-work.js'
import { captureRoutes } from '../sessions/capture/domain.js'
import { createHeardEvents } from '../sessions/harness/heard-events.js'
import { createHookSpool, keepHook } from '../sessions/harness/hook-spool.js'
import { promptsOf } from '../sessions/harness/owed-starts.js'
import { createSessionFiles } from '../sessions/harness/session-files.js'
import { hookRoutes } from '../sessions/hooks/domain.js'
import { temporalRoutes } from '../sessions/synthesis/domain.js'
import { sessionRoutes } from '../sessions/tracker/domain.js'
import { createApp } from './app.js'
import { closeToOthers } from './close-to-others.js'
import { type Context, createContext } from './context.js'
import { watchIdle } from './idle.js'

export interface StartOptions {
  paths: WorkspacePaths
  version: string
  log: Logger
  /** Environment of the process: wins over agent.yaml (contract, settings keys). */
  environment: NodeJS.ProcessEnv
  clock?: () => Date
  /** Mode local may listen on an address that other machines reach. */
  openToNetwork?: boolean
  /** Called when the daemon wants to end by itself: asked by HTTP, or idle. */
  onStop?: (why: string) => void
}

export interface RunningDaemon {
  url: string
  host: string
  port: number
  /** Resolves when requests are served from the database; rejects when it could not be opened. */
  ready: Promise<Daemon>
  /** Resolves when every stored memory is in the index. */
  loaded: Promise<void>
  /** Stops accepting, ends the work in hand within a deadline, and removes its own registration. */
  close(): Promise<void>
}

interface State {
  context?: Context
  spool?: PeriodicWork
  port: number
  registered: boolean
  closing: boolean
}

const readyWaitMs = 10_000
const drainMs = 10_000

/**
 * Takes the workspace, listens, registers, and only then opens the database and fills the index.
 * @throws WorkspaceInUse, SettingsError, or the listen error (EADDRINUSE).
 */
export async function startDaemon(options: StartOptions): Promise<RunningDaemon> {
  const { paths, version, log, environment, clock = () => new Date(), onStop = () => undefined } = options
  const releaseLock = takeInstanceLock(paths.instanceLock)
  closeToOthers(paths, log)
  const { settings, auth, host, port } = openSettings(options, releaseLock)
  const room = createRoom({ folder: paths.daemonDir, log })
  // A daemon that ends by itself takes its registration along.
  const afterCrash = readRegistration(paths.registration) !== undefined
  const startedAt = clock()
  const state: State = { port, registered: false, closing: false }
  const relays = { files: createSessionFiles({ log, paths, environment }), heard: createHeardEvents() }
  const opened = deferred<Daemon>()
  opened.promise.catch(() => undefined)
  const idle = watchIdle({
    timeoutMs: () => settings.current().settings.daemon.idleTimeoutMs,
    busy: () => state.context?.busy() ?? true,
    onIdle: () => onStop('idle'),
  })

  const app = createApp({
    log,
    boundHost: host,
    auth,
    clock,
    routes: [
      ...systemRoutes(
        () => ({ host, port: state.port }),
        () => setImmediate(onStop, 'asked to stop'),
      ),
      ...authRoutes,
      ...memoryRoutes,
      ...embeddingsRoutes,
      ...temporalRoutes,
      ...transferRoutes,
      ...hookRoutes(),
      ...captureRoutes,
      ...sessionRoutes,
    ],
    whenReady,
    daemon: () => state.context?.daemon,
    room,
    health: () => ({
      status: 'healthy',
      version,
      pid: process.pid,
      uptime: (clock().getTime() - startedAt.getTime()) / 1000,
      port: state.port,
      workspace: paths.root,
    }),
    onRequest: idle.enter,
    harness: {
      ...relays,
      promptsOf: async key => promptsOf(await whenReady(), key),
      keep: hook => keepHook({ paths, log, newId: () => uuidv7() }, hook),
    },
  })
  try {
    await app.listen({ host, port })
  } catch (error) {
    idle.close()
    room.close()
    await settings.close()
    releaseLock()
    throw error
  }
  state.port = (app.server.address() as AddressInfo).port
  await register()
  room.onRecovered(() => {
    if (state.registered || state.closing) return
    register().catch(error => log.warn({ err: error }, 'not registered'))
  })
  const loaded = open()
  loaded.catch(() => undefined)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${state.port}`,
    host,
    port: state.port,
    ready: opened.promise,
    loaded,
    close,
  }

  /** Without room for it clients ask where the settings say that it listens, until there is. */
  async function register(): Promise<void> {
    try {
      await writeRegistration(paths.registration, {
        pid: process.pid,
        host,
        port: state.port,
        version,
        startedAt: startedAt.toISOString(),
        workspace: paths.root,
      })
      state.registered = true
    } catch (error) {
      if (!room.note(error)) throw error
    }
  }

  /** A database that was never opened has nothing to read from. @throws AppError `insufficient_storage`, `starting` */
  async function whenReady(): Promise<Daemon> {
    const problem = state.context ? undefined : room.problem()
    if (problem) throw notOpened(problem)
    return within(opened.promise, readyWaitMs, stillStarting)
  }

  async function open(): Promise<void> {
    try {
      state.context = createContext({
        version,
        paths,
        settings,
        log,
        clock,
        environment,
        auth,
        room,
        afterCrash,
      })
      opened.resolve(state.context.daemon)
      state.spool = createHookSpool(state.context.daemon, {
        askAs: client => askSelf(app, client),
        ...relays,
      })
      state.spool.start()
    } catch (error) {
      if (room.note(error)) return openLater()
      opened.reject(error)
      throw error
    }
    await state.context.load()
  }

  /** Opens the database once there is room for it. */
  function openLater(): Promise<void> {
    return new Promise((resolve, reject) => {
      const again = { due: true }
      room.onRecovered(() => {
        if (!again.due || state.closing) return
        again.due = false
        open().then(resolve, reject)
      })
    })
  }

  async function close(): Promise<void> {
    state.closing = true
    idle.close()
    room.close()
    await state.spool?.close()
    await drain(app)
    await settings.close()
    await state.context?.close()
    await removeRegistration(paths.registration, process.pid)
    releaseLock()
  }
}

interface Opened {
  settings: SettingsWatch
  auth: Auth
  host: string
  port: number
}

/** What decides where to listen and to whom; the workspace is let go of when it is refused. */
function openSettings(options: StartOptions, releaseLock: () => void): Opened {
  const { paths, log, environment, clock = () => new Date(), openToNetwork = false } = options
  const opened: { settings?: SettingsWatch } = {}
  try {
    const settings = watchSettings(paths.settings, log)
    opened.settings = settings
    const { host, port } = listenAddress(settings.current().settings.daemon, environment)
    const secretFile = paths.authSecret
    const auth = createAuth({ secretFile, settings, environment, clock, log, host, openToNetwork })
    return { settings, auth, host, port }
  } catch (error) {
    void opened.settings?.close()
    releaseLock()
    throw error
  }
}

function listenAddress(
  settings: { host: string; port: number },
  environment: NodeJS.ProcessEnv,
): { host: string; port: number } {
  const port = environment.SERVICE_PORT ? Number(environment.SERVICE_PORT) : settings.port
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`SERVICE_PORT ${JSON.stringify(environment.SERVICE_PORT)} is not a port (0 to 65535)`)
  const host = environment.SERVICE_HOST || settings.host
  // By this name Fastify opens a second listener, whose connections nobody would count.
  return { host: host === 'localhost' ? '127.0.0.1' : host, port }
}

function notOpened(problem: string): AppError {
  return new AppError(
    'insufficient_storage',
    `${problem}: the database could not be opened; make room where the workspace is, the daemon goes on by itself then`,
  )
}

function stillStarting(): AppError {
  return new AppError('starting', 'the daemon is still starting; try again shortly')
}

/** Lets requests in hand finish; those that take too long are cut. */
async function drain(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), drainMs)
  await app.close()
  clearTimeout(timer)
}
