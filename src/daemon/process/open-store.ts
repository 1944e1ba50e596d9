import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../../contract/ground/errors.js'
import type { Settings } from '../../contract/settings.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { isDamage, isUnavailable } from '../../store/faults.js'
import { openStore } from '../../store/sqlite/database.js'
import type { Store } from '../../store/store.js'
import type { Secrets } from '../ground/secrets/secrets.js'
import type { SettingsWatch } from '../ground/settings/settings-in-force.js'
import { removeDerived } from '../ground/storage/derived-files.js'
import { serverUrl } from '../ground/storage/server-url.js'
import type { Auth } from '../platform/auth/auth.js'

export interface StoreOptions {
  paths: WorkspacePaths
  storage: Settings['storage']
  settings: Pick<SettingsWatch, 'share'>
  /** Its instance id names this daemon among several. */
  auth: Pick<Auth, 'instance'>
  secrets: Pick<Secrets, 'resolve'>
  clock: () => Date
  onFault(error: unknown): void
  /** Ends the daemon, so that it has to start again with the rows that are there. */
  onForeign(why: string): void
  log: Logger
}

/** How a start waits for a server that does not answer. */
export interface ServerWait {
  signal: AbortSignal
  /** Told the answer of requests meanwhile. */
  onUnavailable(answer: AppError): void
}

const tryAgainMs = 2000

/**
 * Opens the store that the settings name: the file of the workspace, or a schema on a PostgreSQL server. No
 * other part of the daemon knows which one it is.
 * @throws Error when it can't be opened; for a server that does not answer only when the daemon stops
 */
export function openChosenStore(options: StoreOptions, wait: ServerWait): Store | Promise<Store> {
  const { storage, paths, clock, onFault } = options
  return storage.postgres === undefined
    ? openStore(paths.database, clock(), onFault)
    : openOnServer(options, storage.postgres, wait)
}

async function openOnServer(options: StoreOptions, reference: string, wait: ServerWait): Promise<Store> {
  const { storage, auth, secrets, clock, onFault, onForeign, log } = options
  const { signal, onUnavailable } = wait
  const { openPostgres } = await import('../../store/postgres/database.js')
  for (;;)
    try {
      const { schema, shared } = storage
      const node = createHash('sha256').update(`node ${auth.instance}`).digest('hex').slice(0, 16)
      const to = { url: await serverUrl(reference, secrets), schema, shared, node }
      const store = await openPostgres(to, clock(), onFault, onForeign)
      if (!signal.aborted) return withSharedSettings(options, store, wait)
      await store.close()
      throw new AppError('starting', 'the daemon is stopping')
    } catch (error) {
      if (!isUnavailable(error)) throw error
      log.warn({ err: error }, 'the database server does not answer; trying again')
      onUnavailable(error)
      await delay(tryAgainMs, undefined, { signal })
    }
}

/** Puts the settings of a team in force before anything else reads them. @returns its store */
async function withSharedSettings(
  { settings, paths, log }: Pick<StoreOptions, 'settings' | 'paths' | 'log'>,
  store: Store,
  { signal }: ServerWait,
): Promise<Store> {
  if (!store.changes || !store.server) return store
  const team = { store, place: store.server.place, formerFile: paths.settingsFormer }
  try {
    await despiteFaults({ log, isOver: () => signal.aborted }, () => settings.share(team))
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/**
 * Finishes a move of the memories to another store, which changes the settings.
 * @returns undefined when there was none
 */
export function finishMove(
  {
    paths,
    settings,
    clock,
    secrets,
    log,
  }: Pick<StoreOptions, 'paths' | 'clock' | 'secrets' | 'log'> & MovedSettings,
  wait: ServerWait,
): Promise<void> | undefined {
  if (!existsSync(paths.storageMoveNote)) return undefined
  return import('../operations/storage/move/apply-move.js').then(({ applyMove }) =>
    applyMove({ paths, settings, clock, secrets, ...wait, log: log.child({ category: 'storage' }) }),
  )
}

/**
 * Ends the daemon when its rows changed without it. Its indexes are removed: rows that the server lost may
 * have the numbers of later ones.
 */
export function endWhenForeign(
  paths: WorkspacePaths,
  { log, onForeign }: Pick<StoreOptions, 'log' | 'onForeign'>,
) {
  const state = { isForeign: false }
  return {
    onForeign: (why: string): void => {
      state.isForeign = true
      log.error({ why }, 'the daemon has to start again with the rows that are there')
      onForeign(why)
    },
    ending: <C extends { close(): Promise<void> }>(context: C): C => ({
      ...context,
      close: async () => {
        await context.close()
        if (state.isForeign) await removeDerived(paths)
      },
    }),
  }
}

/**
 * Does a step of a start. A damaged database is served as far as it can be read, so that it can be exported;
 * while a server does not answer, the step is tried again.
 */
export async function despiteFaults(
  { log, isOver }: { log: Logger; isOver(): boolean },
  work: () => Promise<void>,
): Promise<void> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (isDamage(error)) return log.error({ err: error }, 'database damaged; serving what can be read')
      if (isOver() || !isUnavailable(error)) throw error
      log.warn({ err: error }, 'the database server does not answer; trying again')
      await delay(tryAgainMs)
    }
}

interface MovedSettings {
  settings: Pick<SettingsWatch, 'change'>
}

/**
 * The paths of what a daemon derives from its store. Each store has its own, so that none is taken for that
 * of another.
 */
export function pathsOf(paths: WorkspacePaths, storage: Settings['storage']): WorkspacePaths {
  if (storage.postgres === undefined) return paths
  const place = createHash('sha256')
    .update(`${storage.postgres} ${storage.schema}`)
    .digest('hex')
    .slice(0, 12)
  const own = (name: string): string => join(paths.daemonDir, `${place}-${name}`)
  return {
    ...paths,
    snapshot: own('index.snapshot'),
    artifactSnapshot: own('artifacts.snapshot'),
    transcriptSnapshot: own('transcripts.snapshot'),
    transcriptSegments: own('transcripts.segments'),
  }
}
