import { AppError } from '../../../../contract/ground/errors.js'
import { type OneAtATime, oneAtATime } from '../../../../lib/concurrency/one-at-a-time.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { createDaemonState, type Daemon } from '../../../platform/daemon/daemon.js'
import type { Ring } from '../files/ring.js'
import type { NoteCache, StoreView } from '../rules/upkeep.js'
import type { SyncPlace } from '../transports/open-transport.js'
import type { TransportCounts } from '../transports/patient.js'
import type { Transport } from '../transports/transport.js'

/** The result of the last exchange, and the progress of the running one. */
export interface ExchangeReport extends TransportCounts {
  at: string
  running: boolean
  collected: number
  sentSegments: number
  readRecords: number
  /** Segments that wait to be read. */
  toRead: number
  /** Everything that the store should not have, or lacks. */
  faults: string[]
  /** Why the store could not be reached, or this machine can't take part. */
  problem: string | null
  requests: number
}

/** The sync of this workspace, as the database has it. */
export interface SyncConfig extends SyncPlace {
  /** Id of the store, in 32 hex digits. */
  store: string
  /** The device that this machine is now, and the ones that it was before. */
  tag: string
  earlier: string[]
  /** `joining`: it waits until another machine approves it. */
  phase: 'joining' | 'on'
  paused: boolean
  rings: Ring[]
}

const configKey = 'config'

export async function readConfig({ sync }: Pick<Tables, 'sync'>): Promise<SyncConfig | undefined> {
  const text = await sync.get(configKey)
  return text === undefined ? undefined : (JSON.parse(text) as SyncConfig)
}

/** False while sync is off or paused. */
export function isOn(config: SyncConfig | undefined): config is SyncConfig {
  return config !== undefined && !config.paused
}

/** @throws AppError `conflict` while sync is off */
export async function requireConfig(tables: Pick<Tables, 'sync'>): Promise<SyncConfig> {
  const config = await readConfig(tables)
  if (config) return config
  throw new AppError(
    'conflict',
    'sync is off here; begin it with memory sync init ADDRESS, or join another machine with memory sync join ADDRESS',
  )
}

export async function writeConfig({ sync }: Pick<Tables, 'sync'>, config: SyncConfig): Promise<void> {
  await sync.set(configKey, JSON.stringify(config))
}

/** The sync of one daemon. */
export interface SyncRuntime {
  /** Changes of the members and exchanges run one after another. */
  inLine: OneAtATime
  /** False while sync is off or paused: then nothing of it runs. Undefined until the config is read. */
  isActive: boolean | undefined
  /** The last change of the workspace that an exchange has collected. */
  collected: number
  report: ExchangeReport | undefined
  /** The place that is open, and what ends its requests. */
  place: { key: string; transport: Transport; life: AbortController } | undefined
  /** Exchanges that failed one after another, and when the next one may begin by itself. */
  failures: number
  notBefore: number
  notes: NoteCache
  /** The store as the last exchange saw it. */
  view: StoreView | undefined
}

const kept = createDaemonState<SyncRuntime>()

/** Everything that an exchange leaves in memory. */
export function nothingSeen(): Pick<SyncRuntime, 'report' | 'notes' | 'view'> {
  return { report: undefined, notes: new Map(), view: undefined }
}

export function openSync(daemon: Daemon): SyncRuntime {
  return kept.keep(daemon, {
    ...{ inLine: oneAtATime(), isActive: undefined, collected: -1, ...nothingSeen() },
    ...{ place: undefined, failures: 0, notBefore: 0 },
  })
}

/** @throws AppError `starting` before the daemon is ready */
export function syncOf(daemon: Pick<Daemon, 'store'>): SyncRuntime {
  return kept.of(daemon)
}
