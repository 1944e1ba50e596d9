import type { Reply, Request } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { StorageCheck, StorageStatus } from '../../../contract/operations/storage.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { messageOf } from '../../../lib/text/message-of.js'
import { StoreRefused } from '../../../store/faults.js'
import type { DatabaseServer, ServerLook } from '../../../store/store.js'
import { serverUrl } from '../../ground/storage/server-url.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { lastMove } from './move/move-note.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'room' | 'integrity'>
type StoreChecks = Pick<StorageStatus, 'place' | 'server' | 'checks'>

type CheckDeps = Pick<Daemon, 'store' | 'paths' | 'room' | 'integrity' | 'secrets'>
type Checked = Reply<'POST /api/storage/check'>

/** Checks a server before memories are moved there, or the present store. */
export async function checkStorage(
  deps: CheckDeps,
  { to, schema }: NonNullable<Request<'POST /api/storage/check'>['body']>,
): Promise<Checked> {
  const looked = to === undefined ? await lookAtStore(deps) : await lookAtServer(deps, { to, schema })
  return { ...looked, usable: looked.checks.every(({ severity }) => severity !== 'error') }
}

/** @throws AppError `not_found` for a secret that is not there, `validation_failed` for one that is no URL */
export async function lookAtServer(
  { secrets }: Pick<CheckDeps, 'secrets'>,
  { to, schema = 'memory' }: { to: string; schema?: string | undefined },
) {
  const url = await serverUrl(to, secrets)
  const [{ lookFrom }, { placeOf }] = await Promise.all([
    import('../../../store/postgres/look.js'),
    import('../../../store/postgres/settings.js'),
  ])
  const settings = { url, schema }
  return lookedAt({ place: placeOf(settings), look: () => lookFrom(settings) })
}

/** `GET /api/storage`: where memories are stored, and whether that store is well. */
export async function storageStatus(deps: Deps): Promise<StorageStatus> {
  const { store } = deps
  const looked = await lookAtStore(deps)
  return {
    kind: store.server ? 'server' : 'file',
    ...looked,
    bytes: looked.server ? looked.server.bytes : fileBytes(store),
    schema: { ...store.migrations },
    move: lastMove(deps.paths),
  }
}

/** The present store with its checks; a server that does not answer is one of them. */
async function lookAtStore({ store, paths, room, integrity }: Deps): Promise<StoreChecks> {
  if (store.server) return lookedAt(store.server)
  const [damage] = integrity.problems()
  const problem = damage ? `damaged: ${damage}` : room.problem()
  const check: StorageCheck = problem
    ? { id: 'file', severity: 'error', evidence: problem, fix: 'memory health storage' }
    : { id: 'file', severity: 'ok', evidence: 'sound, and accepts changes' }
  return { place: paths.database, server: null, checks: [check] }
}

/** Looks at a server; a fault of the connection becomes a check. */
export async function lookedAt({ place, look }: DatabaseServer): Promise<StoreChecks> {
  try {
    const { server, checks }: ServerLook = await look()
    return { place, server, checks }
  } catch (error) {
    return { place, server: null, checks: [connectionFault(error)] }
  }
}

function connectionFault(error: unknown): StorageCheck {
  const isKnown = error instanceof StoreRefused || error instanceof AppError || storageFault(error)
  if (!isKnown) throw error
  return {
    id: 'connection',
    severity: 'error',
    evidence: messageOf(error),
    fix: 'check that the server runs, its address and password in storage.postgres, and its pg_hba.conf',
  }
}

/** Bytes of the store; null for a server that does not answer. */
export async function sizeOf(store: Daemon['store']): Promise<number | null> {
  if (!store.server) return fileBytes(store)
  return (await lookedAt(store.server)).server?.bytes ?? null
}

function fileBytes({ file }: Daemon['store']): number | null {
  if (!file) return null
  const { count, bytes } = file.pages()
  return count * bytes
}
