import { mkdir } from 'node:fs/promises'
import type { ExecutionContext } from 'ava'
import type { DaemonStatus, DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { domainNames } from '../../../../../src/contract/ground/wire-names.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

export const healthyStatus: DaemonStatus = {
  version: '1.2.3',
  pid: 4711,
  uptime: 75,
  startedAt: '2026-03-31T12:00:00.000Z',
  host: '127.0.0.1',
  port: 3850,
  workspace: '/w',
  pipeline: { mode: 'controlled-write', mutationsFrozen: false },
  embedding: {
    provider: 'local',
    model: 'mini',
    dimensions: 384,
    available: true,
    state: 'ready',
    withoutVector: 0,
  },
  index: { documents: 3, vectors: 3, terms: 10, bytes: 2048, change: 3, state: 'ready' },
  storage: { writable: true, damage: [] },
  health: { score: 1, status: 'healthy', parts: [], checkedAt: null, warnings: [] },
  memories: 3,
  bypassedSessions: 0,
  settingsProblems: [],
}

type Call = DoctorContext['call']
export type Handlers = Partial<
  Record<Parameters<Call>[0], (request: { body?: unknown; params?: unknown }) => unknown>
>

/** Returns a `call` with one handler per address; addresses without a handler reject. */
export function fakeCall(handlers: Handlers): Call {
  return (async (address: keyof Handlers, request = {}) => {
    const handler = handlers[address]
    if (!handler) throw new Error(`no answer for ${address}`)
    return handler(request)
  }) as Call
}

/** Returns diagnostics with only these findings about storage. */
export function storedReport(findings: readonly object[]): object {
  const domains = Object.fromEntries(
    domainNames.map(name => [
      name,
      { score: 1, status: 'healthy', findings: name === 'storage' ? findings : [] },
    ]),
  )
  return { ...domains, health: healthyStatus.health }
}

/** Returns the answers of a daemon for which every check succeeds. */
export function healthyHandlers(): Handlers {
  return {
    'GET /api/status': () => healthyStatus,
    'GET /api/plugins': () => ({ plugins: [] }),
    'GET /api/secrets/store/status': () => ({ state: 'none', source: null, secrets: 0, problem: null }),
    'GET /api/secrets/vaulta/status': () => ({ connected: false, status: null, problem: null }),
    'GET /api/secrets/vaultb/status': () => ({ connected: false, vaults: [], problem: null }),
    'GET /api/diagnostics': () => storedReport([]),
    'GET /api/tasks': () => ({ tasks: [], count: 0 }),
  }
}

/** Creates a temporary workspace with its `.daemon` folder, and a context without faults. */
export async function doctorContext(
  t: ExecutionContext,
  fields: Partial<DoctorContext> = {},
): Promise<DoctorContext> {
  const paths = workspacePaths(temporaryFolder(t, 'memory-doctor'))
  await mkdir(paths.daemonDir, { mode: 0o700 })
  return {
    paths,
    version: '1.2.3',
    nodeVersion: 'v20.19.0',
    platform: 'linux',
    driver: async () => 'better-sqlite3-napi',
    user: {},
    networkDisk: async () => undefined,
    remote: undefined,
    harnesses: [],
    now: () => 0,
    freeBytes: async () => 10 * 1024 ** 3,
    findDaemon: async () => undefined,
    call: fakeCall(healthyHandlers()),
    ...fields,
  }
}
