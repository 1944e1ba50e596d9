import { existsSync, mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../../contract/ground/errors.js'
import { type OneAtATimeEach, oneAtATimeEach } from '../../../lib/concurrency/one-at-a-time.js'
import { readAtMost } from '../../../lib/network/decode-body.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
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

/** One page of the files of a box, by name. @throws AppError `conflict` while the relay is off */
export async function listPage(
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
export async function readBoxed(deps: Deps, name: string, file: string): Promise<Buffer> {
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
export async function putBoxed(
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
export async function removeBoxed(deps: Deps, name: string, file: string): Promise<{ removed: boolean }> {
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
