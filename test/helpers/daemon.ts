import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type Logger, pino } from 'pino'
import { stringify } from 'yaml'
import { type Address, endpoints, type Reply, type Request } from '../../src/contract/api.js'
import type { EndpointShape } from '../../src/contract/ground/endpoint.js'
import type { ErrorBody } from '../../src/contract/ground/errors.js'
import type { RecentLogs } from '../../src/daemon/ground/telemetry/recent-logs.js'
import type { Daemon } from '../../src/daemon/platform/daemon/daemon.js'
import { type RunningDaemon, startDaemon as start } from '../../src/daemon/process/start.js'
import { type WorkspacePaths, workspacePaths } from '../../src/lib/workspace/paths.js'
import { migratedDatabase } from './migrated-database.js'
import { onPostgres, ownDatabase } from './postgres.js'
import { temporaryFolder } from './temporary-folder.js'

export interface TestDaemonOptions {
  /** agent.yaml; embedding is off by default. */
  settings?: Record<string, unknown>
  /** agent.yaml as a text, in place of settings. */
  text?: string
  clock?: () => Date
  environment?: NodeJS.ProcessEnv
  workspace?: string
  /** Version that the daemon reports; not a release version unless commands must find the daemon. */
  version?: string
  /** Silent by default. */
  log?: Logger
  /** The newest lines of that log. */
  recentLogs?: RecentLogs
  /** The key that daemons of one database share. */
  teamKey?: string
}

export interface ApiReply<A extends Address> {
  status: number
  headers: Headers
  /** The reply of a success, checked against the contract; the error body of a failure. */
  body: Reply<A> & Partial<ErrorBody>
}

export interface TestDaemon {
  url: string
  paths: WorkspacePaths
  daemon: Daemon
  call<A extends Address>(address: A, request?: Request<A>): Promise<ApiReply<A>>
  /** Saves a memory and returns its id. */
  remember(content: string, fields?: Partial<Request<'POST /api/memory/remember'>['body']>): Promise<string>
  /** Ids that a recall returns, best first. */
  recall(query: string, fields?: Partial<Request<'POST /api/memory/recall'>['body']>): Promise<string[]>
  ending: RunningDaemon['ending']
  stop(): Promise<void>
}

/** Downloads no model, and points the registries of skills and packages to a closed port. */
const offline = {
  SERVICE_EMBEDDING_DOWNLOAD: '0',
  SERVICE_EMBEDDING_PROVIDER: 'static',
  SKILLS_API_URL: 'http://127.0.0.1:9',
  npm_config_registry: 'http://127.0.0.1:9',
}

/** Starts a real daemon in its own workspace, on a free port; it stops with the test. */
export async function startDaemon(t: ExecutionContext, options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const { settings = {}, clock, environment = {}, workspace = migratedWorkspace(t) } = options
  const { log = pino({ level: 'silent' }), recentLogs, version = '0.0.0-test' } = options
  const paths = workspacePaths(workspace)
  mkdirSync(paths.root, { recursive: true })
  const storage = await storageOf(t, workspace)
  const given = stringify({ embedding: { provider: 'none' }, ...storage, ...settings })
  writeFileSync(paths.settings, options.text ?? given)
  const running = await start({
    paths,
    version,
    log,
    environment: { ...offline, SERVICE_PORT: '0', ...environment },
    ...(clock && { clock }),
    ...(recentLogs && { recentLogs }),
    teamKey: options.teamKey,
  })
  const stop = once(running)
  t.teardown(stop)
  await running.loaded
  // A Host header other than a loopback name counts as another machine, even 0.0.0.0.
  const url = running.url.replace('0.0.0.0', '127.0.0.1')
  const call = caller(url)
  return {
    url,
    paths,
    daemon: await running.ready,
    call,
    remember: async (content, fields) =>
      (await call('POST /api/memory/remember', { body: { content, ...fields } })).body.id,
    recall: async (query, fields) => {
      const { body } = await call('POST /api/memory/recall', { body: { query, ...fields } })
      return body.results.map(({ id }) => id)
    },
    ending: running.ending,
    stop,
  }
}

/** The database of each workspace on the server, which a second start of the same one finds again. */
const databases = new Map<string, Promise<string>>()

/** The setting of a run that tests PostgreSQL; none for the file of the workspace. */
async function storageOf(t: ExecutionContext, workspace: string): Promise<object> {
  if (!onPostgres) return {}
  const database = databases.get(workspace) ?? ownDatabase(t)
  databases.set(workspace, database)
  return { storage: { postgres: await database } }
}

/** A workspace with an empty database of the newest schema; creating one takes longer than many tests. */
export function migratedWorkspace(t: ExecutionContext): string {
  const workspace = temporaryWorkspace(t)
  const { database } = workspacePaths(workspace)
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
  writeFileSync(database, migratedDatabase())
  return workspace
}

export function temporaryWorkspace(t: ExecutionContext): string {
  return temporaryFolder(t, 'memory-service-test')
}

/** Teardowns run last first, and a test may stop its daemon itself. */
function once(running: RunningDaemon): () => Promise<void> {
  const closed: { promise?: Promise<void> } = {}
  return () => {
    closed.promise ??= running.close()
    return closed.promise
  }
}

function caller(url: string): TestDaemon['call'] {
  return async (address, { params, query, body, bytes, headers } = {}) => {
    const endpoint = endpointAt(address)
    const response = await fetch(new URL(pathOf(endpoint, params, query), url), {
      method: endpoint.method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...Object.fromEntries(Object.entries(headers ?? {}).filter(([, value]) => value !== undefined)),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: bytes as Uint8Array<ArrayBuffer> }),
    })
    const text = await response.text()
    const value = response.headers.get('content-type')?.includes('json')
      ? (JSON.parse(text) as unknown)
      : text
    if (response.ok) endpoint.response.parse(value)
    return { status: response.status, headers: response.headers, body: value as never }
  }
}

function endpointAt(address: Address): EndpointShape {
  const [method, path] = address.split(' ')
  const known = endpoints as readonly EndpointShape[]
  return known.find(endpoint => endpoint.method === method && endpoint.path === path) as EndpointShape
}

function pathOf({ path }: EndpointShape, params: unknown, query: Record<string, unknown> = {}): string {
  const filled = path.replace(/:(\w+)/gu, (_match, name: string) =>
    encodeURIComponent(String((params as Record<string, string>)[name])),
  )
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, String(value)] as [string, string]],
    ),
  )
  return search.size > 0 ? `${filled}?${search}` : filled
}
