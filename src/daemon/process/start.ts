import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { AppError } from '../../contract/ground/errors.js'
import { type Deferred, deferred } from '../../lib/concurrency/deferred.js'
import { createInFlight } from '../../lib/concurrency/in-flight.js'
import { within } from '../../lib/concurrency/stop-waiting.js'
import { choosesPort, isPortTaken } from '../../lib/workspace/chosen-port.js'
import { ensureInstance } from '../../lib/workspace/instance-file.js'
import { workspaceName } from '../../lib/workspace/instance-proof.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { readRegistration } from '../../lib/workspace/registration.js'
import { markClosing, removeRegistration } from '../../store/files/registration-file.js'
import { takeInstanceLock } from '../../store/sqlite/instance-lock.js'
import { type SettingsWatch, watchSettings } from '../ground/settings/settings-in-force.js'
import { createRoom, type Room } from '../ground/storage/room.js'
import { RecentLogs } from '../ground/telemetry/recent-logs.js'
import { applyRestore } from '../operations/backup/apply-restore.js'
import { type Auth, createAuth } from '../platform/auth/auth.js'
import { RequestCounts } from '../platform/counts/request-counts.js'
import { askSelf } from '../platform/daemon/ask-self.js'
import type { Daemon, ListenAddress } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import { registerOauth } from '../platform/oauth/register-oauth.js'
import { createHarnessHooks } from '../sessions/harness/harness-hooks.js'
import { type AppOptions, createApp } from './app.js'
import { type Context, createContext } from './context.js'
import { domains } from './domains.js'
import { watchIdle } from './idle.js'
import { routesOf } from './log.js'
import { checkDisk, closeNewWorkspace, restrictToOwner } from './workspace-folder.js'
import { leaveBalancer, registerWhenRoom } from './write-registration.js'

export interface StartOptions {
  paths: WorkspacePaths
  version: string
  log: Logger
  /** Takes the level of the settings, before the log is used. */
  setLogLevel?: ((level: string) => void) | undefined
  /** The newest lines of that log. */
  recentLogs?: RecentLogs
  /** Environment of the process; it overrides agent.yaml (rules.md#settings). */
  environment: NodeJS.ProcessEnv
  clock?: () => Date
  /** Opens a secret store protected by a passphrase. */
  secretsPassphrase?: string | undefined
  /** The key of several daemons on one database: a token of one is good at the others. */
  teamKey?: string | undefined
  /** Mode local may listen on an address that other machines reach. */
  openToNetwork?: boolean
  /** A supervisor keeps it running, so it does not end when idle. */
  staysIdle?: boolean
  /** An archive that replaces the workspace first, for one that no daemon can open. */
  restoreFrom?: string
  /** Called a few times while the daemon is idle. */
  onRest?: () => void
  /** Called once, after the first idle second following the start. */
  onFirstRest?: () => void
}

export interface RunningDaemon {
  url: string
  host: string
  port: number
  /** Resolves when requests are served from the database; rejects when it could not be opened. */
  ready: Promise<Daemon>
  /** Resolves when every stored memory is in the index. */
  loaded: Promise<void>
  /** Resolves once the daemon wants to end: requested over HTTP, idle, or to start again with other rows. */
  ending: Promise<Ending>
  /** Stops accepting requests, ends running work within a deadline, and removes its own registration. */
  close(): Promise<void>
}

export interface Ending {
  why: string
  /** The database changed without the daemon. */
  startAgain: boolean
}

const readyWaitMs = 10_000
const cutAfterMs = 10_000

/** State shared by the steps of a start. */
interface StartState {
  options: Required<Pick<StartOptions, 'clock' | 'recentLogs'>> & StartOptions
  opened: OpenedSettings
  /** Instance id of the workspace. */
  instance: string
  room: Room
  /** True when the last daemon of this workspace crashed or was killed. */
  afterCrash: boolean
  address: ListenAddress
  mcpRequests: Daemon['mcpRequests']
  requestCounts: RequestCounts
  context?: Context
  closing: boolean
  ending: Deferred<Ending>
  /** Ends the wait for a database server. */
  life: AbortController
  /** The answer of requests while that server is silent. */
  unavailable?: AppError
}

/**
 * Locks the workspace, listens, registers, and only then opens the database and fills the index.
 * @throws WorkspaceInUse, UnsafeDisk, SettingsError, or the listen error (EADDRINUSE)
 */
export async function startDaemon(given: StartOptions): Promise<RunningDaemon> {
  const options = {
    clock: () => new Date(),
    recentLogs: new RecentLogs(),
    ...given,
  }
  const { paths, log } = options
  await checkDisk(options)
  const releaseLock = takeInstanceLock(paths.instanceLock)
  await closeNewWorkspace(paths, options)
  restrictToOwner(paths, log)
  await restoreFirst(options, releaseLock)
  const opened = openSettings(options, releaseLock)
  const { host, port, instance } = opened
  const room = createRoom({ folder: paths.daemonDir, log: log.child({ category: 'storage' }) })
  // A stop removes the registration, so an existing one is from a crashed daemon.
  const afterCrash = readRegistration(paths.registration) !== undefined
  const state: StartState = {
    ...{ options, opened, instance, room, afterCrash, closing: false },
    address: { host, port },
    mcpRequests: createInFlight(),
    requestCounts: new RequestCounts(),
    ending: deferred(),
    life: new AbortController(),
  }
  const ready = deferred<Daemon>()
  ready.promise.catch(() => undefined)
  const { app, idle, harness } = createServer(state, ready.promise)
  await listen(port => app.listen({ host, port }), opened).catch(async error => {
    idle.close()
    room.close()
    await opened.settings.close()
    releaseLock()
    throw error
  })
  state.address = { host, port: (app.server.address() as AddressInfo).port }
  await registerWhenRoom({ ...options, instance }, state)
  const loaded = openDatabase(state, ready, { domains: { ...domains, harness }, app })
  loaded.catch(() => undefined)
  return {
    url: urlOf(state.address),
    ...state.address,
    ready: ready.promise,
    loaded,
    ending: state.ending.promise,
    close: async () => {
      await leaveBalancer(state, options.environment)
      state.life.abort()
      idle.close()
      room.close()
      state.context?.stopping()
      await markClosing(paths.registration, process.pid)
      await drain(app)
      await opened.settings.close()
      await state.context?.close()
      await removeRegistration(paths.registration, process.pid)
      releaseLock()
    },
  }
}

/** Applies a restore before anything of the workspace is read. */
async function restoreFirst(options: StartState['options'], releaseLock: () => void): Promise<void> {
  try {
    if (options.restoreFrom !== undefined) {
      const { prepareOffline } = await import('../operations/backup/prepare-offline.js')
      await prepareOffline(options, options.restoreFrom)
    }
    await applyRestore(options)
  } catch (error) {
    releaseLock()
    throw error
  }
}

/** The HTTP application, which serves what it can before the database is open. */
function createServer(state: StartState, ready: Promise<Daemon>) {
  const { options, opened, instance, room } = state
  const { paths, log, clock, environment } = options
  const harness = createHarnessHooks({ log, paths, clock, environment })
  const idle = watchIdle({
    timeoutMs: () => (options.staysIdle ? 0 : opened.settings.current().settings.daemon.idleTimeoutMs),
    busy: () => state.context?.busy() ?? true,
    onIdle: () => state.ending.resolve({ why: 'idle', startAgain: false }),
    onRest: () => options.onRest?.(),
    onFirstRest: () => options.onFirstRest?.(),
  })
  const app = createApp({
    log: log.child({ category: 'http' }),
    requestCounts: state.requestCounts,
    boundHost: opened.host,
    auth: opened.auth,
    clock,
    routes: Object.entries(domains).flatMap(([name, domain]) => routesOf(name, domain)),
    /**
     * Without an open database there is nothing to serve. @throws AppError `insufficient_storage`, `starting`
     */
    whenReady: async () => {
      if (state.context) return state.context.daemon
      const problem = room.problem()
      if (problem) throw notOpened(problem)
      if (state.unavailable) throw state.unavailable
      return within(ready, readyWaitMs, stillStarting)
    },
    mcpRequests: state.mcpRequests,
    daemon: () => state.context?.daemon,
    isStopping: () => state.closing,
    room,
    health: healthOf(options, () => state.address.port),
    identity: { instance, name: workspaceName(instance, paths.root) },
    onRequest: idle.enter,
    register: [harness.register, (app, whenReady) => registerOauth(app, opened.auth, whenReady)],
  })
  return { app, idle, harness }
}

interface DatabaseOptions {
  domains: Readonly<Record<string, Domain>>
  app: FastifyInstance
}

/** Opens the database and fills the index; on a full disk once there is space. */
async function openDatabase(
  state: StartState,
  ready: Deferred<Daemon>,
  opening: DatabaseOptions,
): Promise<void> {
  const { options, opened, room, afterCrash, requestCounts } = state
  try {
    const context = createContext(
      {
        ...options,
        ...opened,
        room,
        afterCrash,
        mcpRequests: state.mcpRequests,
        requestCounts,
        domains: opening.domains,
        askAs: client => askSelf(opening.app, client),
        address: () => state.address,
        stop: why => state.ending.resolve({ why, startAgain: false }),
        onForeign: why => state.ending.resolve({ why, startAgain: true }),
      },
      {
        signal: state.life.signal,
        onUnavailable: answer => {
          state.unavailable = answer
        },
      },
    )
    state.context = context instanceof Promise ? await context : context
    delete state.unavailable
    ready.resolve(state.context.daemon)
  } catch (error) {
    if (room.note(error)) return openLater(state, ready, opening)
    ready.reject(error)
    throw error
  }
  await state.context.load()
}

function openLater(state: StartState, ready: Deferred<Daemon>, opening: DatabaseOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let isDue = true
    state.room.onRecovered(() => {
      if (!isDue || state.closing) return
      isDue = false
      openDatabase(state, ready, opening).then(resolve, reject)
    })
  })
}

/** The answer of `GET /health`, available from the start on. */
function healthOf(
  { version, paths, clock }: { version: string; paths: WorkspacePaths; clock: () => Date },
  port: () => number,
): AppOptions['health'] {
  const startedAt = clock()
  return isHere => ({
    status: 'healthy',
    version,
    pid: isHere ? process.pid : 0,
    uptime: (clock().getTime() - startedAt.getTime()) / 1000,
    port: port(),
    workspace: isHere ? paths.root : '',
  })
}

function urlOf({ host, port }: ListenAddress): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

interface OpenedSettings {
  settings: SettingsWatch
  auth: Auth
  instance: string
  host: string
  port: number
  /** False if nobody chose the port: another one is as good. */
  isPortChosen: boolean
}

/** Opens the settings and authentication; on failure the workspace lock is released. */
function openSettings(options: StartOptions, releaseLock: () => void): OpenedSettings {
  const { paths, log, environment, teamKey, clock = () => new Date(), openToNetwork = false } = options
  const opened: { settings?: SettingsWatch } = {}
  try {
    const settings = watchSettings(paths.settings, paths.settingsRecord, log)
    options.setLogLevel?.(settings.current().settings.daemon.logLevel)
    opened.settings = settings
    const { host, port, isPortChosen } = listenAddress(settings.current(), environment)
    const secretFile = paths.authSecret
    const instance = ensureInstance(paths.instance)
    const auth = createAuth({
      ...{ secretFile, teamKey, instance, settings, environment, clock, log, host, openToNetwork },
    })
    return { settings, auth, instance, host, port, isPortChosen }
  } catch (error) {
    void opened.settings?.close()
    releaseLock()
    throw error
  }
}

function listenAddress(
  { settings: { daemon }, given }: ReturnType<SettingsWatch['current']>,
  { SERVICE_HOST, SERVICE_PORT, SERVICE_DEFAULT_PORT }: NodeJS.ProcessEnv,
): Pick<OpenedSettings, 'host' | 'port' | 'isPortChosen'> {
  const isPortChosen = Boolean(SERVICE_PORT) || choosesPort(given)
  const name = SERVICE_PORT ? 'SERVICE_PORT' : 'SERVICE_DEFAULT_PORT'
  const value = SERVICE_PORT || (isPortChosen ? undefined : SERVICE_DEFAULT_PORT)
  const port = value ? Number(value) : daemon.port
  if (!Number.isInteger(port) || port < 0 || port > highestPort)
    throw new Error(`${name} ${JSON.stringify(value)} is not a port (0 to ${highestPort})`)
  const host = SERVICE_HOST || daemon.host
  // For `localhost` Fastify opens a second listener, whose connections would not be counted.
  return { host: host === 'localhost' ? '127.0.0.1' : host, port, isPortChosen }
}

const highestPort = 65_535
/** After this many ports in use, any free port does. */
const portsTried = 50

/**
 * Listens on the chosen port. Without a choice the next free port is taken, because another user or workspace
 * may have the default one. @throws the listen error
 */
export async function listen(
  listenAt: (port: number) => Promise<unknown>,
  { port, isPortChosen }: Pick<OpenedSettings, 'port' | 'isPortChosen'>,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  const last = isPortChosen ? port : Math.min(port + portsTried, highestPort)
  for (let next = port; ; next++)
    try {
      await listenAt(next > last ? 0 : next)
      return
    } catch (error) {
      if (isPortChosen || !isPortTaken(error, platform) || next > last) throw error
    }
}

function notOpened(problem: string): AppError {
  return new AppError(
    'insufficient_storage',
    `${problem}: the database could not be opened; free space on the disk of the workspace, then the daemon continues by itself`,
  )
}

function stillStarting(): AppError {
  return new AppError('starting', 'the daemon is still starting; try again shortly')
}

/** Waits for running requests; slow ones are cut off. */
async function drain(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), cutAfterMs)
  // Clients keep connections open for further requests, which are no longer accepted.
  const served = setInterval(() => app.server.closeIdleConnections(), 100)
  await app.close()
  clearTimeout(timer)
  clearInterval(served)
}
