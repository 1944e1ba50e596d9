import { existsSync, mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/sync.js'
import { type OneAtATimeEach, oneAtATimeEach } from '../../../lib/concurrency/one-at-a-time.js'
import { readAtMost } from '../../../lib/network/decode-body.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { assertNodeDuty } from '../../platform/nodes/held-work.js'
import { requireConfig, syncOf } from './exchange/config.js'
import { approveJoin, askToJoin, initStore, recoverStore } from './exchange/join.js'
import { newReport, runExchange } from './exchange/runtime.js'
import { leave, pause, requirePlace, revoke, syncStatusOf } from './exchange/status.js'
import { RingFault } from './files/ring.js'
import { mostSegmentBytes } from './files/segment.js'
import { folderTransport } from './transports/folder.js'
import { type StoredFile, type Transport, TransportFault } from './transports/transport.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'configuration'>

/** Files of other machines' syncs. This daemon is the only one that writes them, and can read none. */
interface RelayBox {
  files: Map<string, number>
  folder: Transport
}

interface Relay {
  boxes: Map<string, Promise<RelayBox>>
  inLine: OneAtATimeEach
}

const kept = createDaemonState<Relay>()
const mib = 1024 * 1024
const leastRoom = 4096

/** Begins the sync of this workspace, and starts the first exchange without waiting for it. */
async function begun<T>(daemon: Daemon, address: string, work: () => Promise<T>): Promise<T> {
  requirePlace(daemon, address)
  await assertMine(daemon)
  const result = await fromPlace(syncOf(daemon).inLine(work))
  runExchange(daemon).catch((error: unknown) => daemon.log.error({ err: error }, 'sync failed'))
  return result
}

/** The keys of a sync are with one daemon, and its store has one writer. @throws AppError `conflict` */
function assertMine(daemon: Daemon): Promise<void> {
  return assertNodeDuty(daemon, 'sync', 'the sync of this workspace')
}

/** @throws AppError `provider_failed` that says what is wrong with the place, or with the files in it */
async function fromPlace<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof TransportFault || error instanceof RingFault)) throw error
    throw new AppError('provider_failed', error.message, undefined, { cause: error })
  }
}

export const routes = [
  route(contract.syncStatus, daemon => syncStatusOf(daemon)),
  route(contract.initSync, (daemon, { body }) => begun(daemon, body.address, () => initStore(daemon, body))),
  route(contract.joinSync, (daemon, { body }) => begun(daemon, body.address, () => askToJoin(daemon, body))),
  route(contract.recoverSync, (daemon, { body }) =>
    begun(daemon, body.address, () => recoverStore(daemon, body)),
  ),
  route(contract.approveSync, async (daemon, { body }) => {
    await assertMine(daemon)
    return fromPlace(
      syncOf(daemon).inLine(async () =>
        approveJoin(daemon, await requireConfig(daemon.store.tables), newReport(daemon), body.code),
      ),
    )
  }),
  route(contract.runSync, async daemon => {
    await requireConfig(daemon.store.tables)
    await assertMine(daemon)
    await runExchange(daemon)
    return syncStatusOf(daemon)
  }),
  route(contract.pauseSync, (daemon, { body }) => pause(daemon, body.paused)),
  route(contract.revokeDevice, async (daemon, { body }) => {
    await assertMine(daemon)
    return fromPlace(revoke(daemon, body.device))
  }),
  route(contract.leaveSync, async daemon => {
    await assertMine(daemon)
    return leave(daemon)
  }),
  route(contract.listBox, (daemon, { params, query }) => listPage(daemon, params.box, query)),
  route(contract.getBoxed, async (daemon, { params, query }) =>
    Readable.from([await readBoxed(daemon, params.box, query.name)]),
  ),
  route(contract.putBoxed, (daemon, { params, query, headers, body }) =>
    putBoxed(daemon, params.box, { file: query.name, body, length: headers['content-length'] }),
  ),
  route(contract.removeBoxed, (daemon, { params, query }) => removeBoxed(daemon, params.box, query.name)),
]

/** One page of the files of a box, by name. @throws AppError `conflict` while the relay is off */
async function listPage(
  deps: Deps,
  name: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ files: StoredFile[]; next: string | null }> {
  const files = (await boxOf(deps, name))?.files ?? new Map<string, number>()
  const names = [...files.keys()].filter(one => one > after).sort()
  const page = names.slice(0, limit)
  return {
    files: page.map(one => ({ name: one, bytes: files.get(one)! })),
    next: names.length > limit ? page.at(-1)! : null,
  }
}

/** @throws AppError `not_found`, `conflict` */
async function readBoxed(deps: Deps, name: string, file: string): Promise<Buffer> {
  const box = await boxOf(deps, name)
  const bytes = await box?.folder.get(file)
  if (bytes) return bytes
  box?.files.delete(file)
  throw new AppError('not_found', `the box ${name} has no file of this name`)
}

/**
 * Keeps a file once all its bytes are here. @throws AppError `validation_failed` for a part of it,
 * `payload_too_large`, `insufficient_storage`, `conflict`
 */
async function putBoxed(
  deps: Deps,
  name: string,
  { file, body, length }: { file: string; body: Readable; length: number | undefined },
): Promise<{ stored: boolean }> {
  requireRelay(deps)
  const tooLarge = (): AppError =>
    new AppError('payload_too_large', `a file of a box has at most ${mostSegmentBytes / mib} MiB`)
  if (length !== undefined && length > mostSegmentBytes) throw tooLarge()
  const bytes = await readAtMost(body, mostSegmentBytes, tooLarge)
  if (length !== undefined && bytes.length !== length)
    throw new AppError('validation_failed', `${bytes.length} of ${length} bytes arrived; send the file again`)
  // All boxes have one limit.
  return relayOf(deps).inLine('put', async () => {
    if ((await boxOf(deps, name))?.files.has(file)) return { stored: false }
    mkdirSync(deps.paths.syncRelay, { recursive: true, mode: 0o700 })
    await requireRoom(deps, bytes.length)
    mkdirSync(join(deps.paths.syncRelay, name), { recursive: true, mode: 0o700 })
    const { folder, files } = (await boxOf(deps, name))!
    await folder.put(file, bytes).catch(asAppError)
    files.set(file, bytes.length)
    return { stored: true }
  })
}

/** @throws AppError `conflict` while the relay is off */
async function removeBoxed(deps: Deps, name: string, file: string): Promise<{ removed: boolean }> {
  const box = await boxOf(deps, name)
  await box?.folder.remove(file)
  return { removed: box?.files.delete(file) ?? false }
}

function relayOf(deps: Deps): Relay {
  return kept.ofOrMade(deps, () => ({ boxes: new Map(), inLine: oneAtATimeEach() }))
}

/** @throws AppError `conflict` while the relay is off */
function requireRelay(deps: Deps): void {
  if (deps.configuration().settings.sync.relay) return
  throw new AppError(
    'conflict',
    'this daemon keeps no files of other machines; its admin turns that on: memory config set sync.relay true',
  )
}

/** @returns undefined for a box without a folder: only a put makes one, so that questions fill nothing */
async function boxOf(deps: Deps, name: string): Promise<RelayBox | undefined> {
  requireRelay(deps)
  const { boxes } = relayOf(deps)
  const path = join(deps.paths.syncRelay, name)
  const known = boxes.get(name)
  if (known || !existsSync(path)) return known
  const opening = openBox(path)
  boxes.set(name, opening)
  opening.catch(() => boxes.delete(name))
  return opening
}

async function openBox(path: string): Promise<RelayBox> {
  const folder = folderTransport(path)
  const files = new Map<string, number>()
  // A kill left it: nobody else writes here.
  for (const { name, bytes } of await folder.list())
    if (name.endsWith('.tmp')) await folder.remove(name)
    else files.set(name, bytes)
  return { folder, files }
}

/** A small file takes a block of the disk, and its name is kept in memory. */
function roomFor(length: number): number {
  return Math.max(length, leastRoom)
}

/** Boxes that nobody has used since the start are counted too. */
async function requireRoom(deps: Deps, more: number): Promise<void> {
  const { relayMaxMb } = deps.configuration().settings.sync
  let bytes = roomFor(more)
  for (const entry of await readdir(deps.paths.syncRelay, { withFileTypes: true })) {
    const box = entry.isDirectory() ? await boxOf(deps, entry.name) : undefined
    for (const length of box?.files.values() ?? []) bytes += roomFor(length)
  }
  if (bytes > relayMaxMb * mib)
    throw new AppError(
      'insufficient_storage',
      `the relay is full: sync.relayMaxMb allows ${relayMaxMb} MB on that daemon`,
    )
}

function asAppError(error: unknown): never {
  if (error instanceof TransportFault && error.kind === 'full')
    throw new AppError('insufficient_storage', 'the disk of the relay is full')
  throw error
}
