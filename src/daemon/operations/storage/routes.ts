import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Reply, Request } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/storage.js'
import {
  fileTarget,
  type MoveNote,
  type NamedStore,
  type StorageCheck,
} from '../../../contract/operations/storage.js'
import type { FoundSchema } from '../../../store/postgres/schemas.js'
import { isServerUrl } from '../../ground/storage/server-url.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { forgetMove, isUnfinished, readMove, removeCancel, writeMove } from './move/move-note.js'
import { removeOld, settingsOf } from './move/moved-stores.js'
import { checkStorage, lookAtServer, sizeOf, storageStatus } from './status.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'room' | 'integrity' | 'secrets' | 'configuration' | 'clock'>
type MoveRequest = NonNullable<Request<'POST /api/storage/move'>['body']>

const secretName = 'MEMORY_DATABASE'

export const routes = [
  route(contract.storageStatus, daemon => storageStatus(daemon)),
  route(contract.checkStorage, (daemon, { body }) => checkStorage(daemon, body)),
  route(contract.moveStorage, (daemon, { body }) => planMove(daemon, body)),
  route(contract.confirmStorage, (daemon, { body }) => confirmMove(daemon, body)),
]

type Plan = Reply<'POST /api/storage/move'>

/**
 * Checks the target of a move and counts what is to be moved; unless it is a dry run, the next start of the
 * daemon makes the move.
 * @throws AppError `conflict` when the target can't be used, or an earlier move is not confirmed
 */
async function planMove(deps: Deps, asked: MoveRequest): Promise<Plan> {
  const { store, paths } = deps
  requireNoMove(deps)
  const from = presentStore(deps)
  const { to, checks } = await targetOf(deps, asked)
  requireOtherPlace(from, to)
  const tables: Plan['tables'] = []
  for (const table of await store.tables.copies.tables())
    tables.push({ name: table.name, rows: await store.tables.copies.count(table) })
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const plan = { from: from.place, to: to.place, tables, rows, bytes: await sizeOf(store), checks }
  if (asked.dryRun) return { ...plan, prepared: false }
  const id = randomBytes(4).toString('hex')
  const note: MoveNote = {
    ...{ id, phase: 'copying', askedAt: deps.clock().toISOString(), endedAt: null, from },
    to: await withoutPassword(deps, to),
    progress: { step: 'copying', table: '', done: 0, total: 2 * rows },
    ...{ tables: tables.length, rows, withNul: 0, problem: null, old: null },
  }
  await removeCancel(paths)
  writeMove(paths, note)
  return { ...plan, prepared: true }
}

/** @throws AppError `conflict` */
function requireNoMove({ paths }: Deps): void {
  const last = readMove(paths)
  if (last && isUnfinished(last))
    throw new AppError('conflict', 'a move is prepared already: memory daemon restart makes it')
  if (last?.phase === 'moved')
    throw new AppError(
      'conflict',
      'the old store of the last move is still kept: memory storage move --confirm removes it, then try again',
    )
}

function presentStore({ store, paths, configuration }: Deps): NamedStore {
  const { storage } = configuration().settings
  return {
    ...(storage.postgres !== undefined && { postgres: storage.postgres }),
    schema: storage.schema,
    place: store.server?.place ?? paths.database,
  }
}

function requireOtherPlace(from: NamedStore, to: NamedStore): void {
  if (from.place === to.place)
    throw new AppError('conflict', `the memories are in ${to.place} already: name another place in --to`)
}

/** @throws AppError `conflict` with the first thing that has to be changed */
async function targetOf(deps: Deps, asked: MoveRequest): Promise<{ to: NamedStore; checks: StorageCheck[] }> {
  const { to, schema = 'memory' } = asked
  if (to === fileTarget) {
    if (deps.store.server && existsSync(deps.paths.database))
      throw new AppError(
        'conflict',
        `${deps.paths.database} is there already: move it away first, it may hold memories`,
      )
    return { to: { schema: 'memory', place: deps.paths.database }, checks: [] }
  }
  const { place, checks } = await lookAtServer(deps, { to, schema })
  const fault = checks.find(({ severity }) => severity === 'error')
  if (fault) throw new AppError('conflict', `${place}: ${fault.evidence}${fault.fix ? `; ${fault.fix}` : ''}`)
  const { findSchema } = await import('../../../store/postgres/schemas.js')
  requireFree(await findSchema(await settingsOf(deps, to, schema)), { place, schema })
  return { to: { postgres: to, schema, place }, checks }
}

/** A move fills a schema of its own, which then takes the place of an empty one. */
function requireFree(
  { state, mayCreate, role, database }: FoundSchema,
  { place, schema }: { place: string; schema: string },
): void {
  if (state === 'taken')
    throw new AppError(
      'conflict',
      `${place} has tables already: choose another --schema, or drop it (DROP SCHEMA ${schema} CASCADE)`,
    )
  if (!mayCreate)
    throw new AppError(
      'conflict',
      `${place}: role ${role} may not make schemas; GRANT CREATE ON DATABASE ${database} TO ${role}`,
    )
}

/** A password belongs in the store of secrets, not in agent.yaml, which git may commit. */
async function withoutPassword({ secrets }: Deps, to: NamedStore): Promise<NamedStore> {
  const { postgres } = to
  if (postgres === undefined || !isServerUrl(postgres) || new URL(postgres).password === '') return to
  const names = new Set(await secrets.names())
  for (let number = 1; ; number++) {
    const name = number === 1 ? secretName : `${secretName}_${number}`
    const isSame = names.has(name) && (await secrets.get(name)) === postgres
    if (!isSame && names.has(name)) continue
    if (!isSame) await secrets.set(name, postgres)
    return { ...to, postgres: name }
  }
}

/** Removes the old store of the last move permanently. */
async function confirmMove(
  deps: Pick<Deps, 'paths' | 'secrets'>,
  { dryRun = false }: NonNullable<Request<'POST /api/storage/confirm'>['body']>,
): Promise<Reply<'POST /api/storage/confirm'>> {
  const last = readMove(deps.paths)
  if (!last) throw new AppError('conflict', 'no move waits for a confirmation')
  if (isUnfinished(last)) throw new AppError('conflict', 'the move is not finished')
  const old = last.old?.place ?? null
  if (dryRun) return { old, removed: false }
  await removeOld(deps, last)
  await forgetMove(deps.paths)
  return { old, removed: old !== null }
}
