import { AppError, notFound } from '../../../../contract/ground/errors.js'
import type { SyncStatus } from '../../../../contract/operations/sync.js'
import { isInside } from '../../../../lib/files/folders.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { dayMs } from '../../../../lib/time/time.js'
import type { KnownSegment } from '../../../../store/tables/operations/sync.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { codeTag } from '../files/ring.js'
import { mostAheadMs } from '../rules/clock.js'
import { graceMs, knownPlaces, type StoreView, shortHash } from '../rules/upkeep.js'
import { placeOf } from '../transports/open-transport.js'
import { nothingSeen, readConfig, requireConfig, type SyncConfig, syncOf, writeConfig } from './config.js'
import { listStore } from './exchange.js'
import { forgetOwn, Membership } from './membership.js'
import { addRing, openExchange, saveRings } from './open-exchange.js'
import { closePlace, transportOf } from './place.js'
import { runExchange } from './runtime.js'

/** Something that keeps machines from the same memories, and the command against it. */
export type SyncTrouble = SyncStatus['troubles'][number]

export async function syncStatusOf(daemon: Daemon): Promise<SyncStatus> {
  const { tables } = daemon.store
  const config = await readConfig(tables)
  const { report, view } = syncOf(daemon)
  const segments = await tables.sync.segments()
  const state = config ? stateOf(config) : 'off'
  const run = config && report ? runOf(report) : null
  const devices = config ? devicesOf(config, segments).map(one => ({ ...one, ...seenOf(one, view) })) : []
  return {
    state,
    address: config?.address ?? null,
    credentials: config?.credentials ?? null,
    store: config?.store ?? null,
    device: config?.tag ?? null,
    devices,
    offered: { memories: await tables.memories.countAlive(), agents: (await tables.agents.roster()).length },
    waiting: {
      records: await tables.sync.countOutbox(),
      segmentsToSend: segments.filter(({ waits }) => waits === 1).length,
      segmentsToRead: report?.toRead ?? 0,
      requests: report?.requests ?? 0,
    },
    run,
    files: view ? filesOf(view) : null,
    troubles: troublesOf({ state, devices, run }, daemon.clock().getTime()),
  }
}

/** When another device was there last, and how many files of the store it has not read. */
function seenOf(
  { tag }: Pick<SyncStatus['devices'][number], 'tag'>,
  view: StoreView | undefined,
): Pick<SyncStatus['devices'][number], 'seen' | 'behind'> {
  const last = view?.acknowledgements.find(({ device }) => device === tag)
  if (!view || !last) return { seen: null, behind: null }
  const unread = view.segments.filter(({ device, hash }) => device !== tag && !last.read.has(shortHash(hash)))
  return { seen: new Date(last.at).toISOString(), behind: unread.length }
}

function filesOf({ segments, segmentBytes, checkpoints: [newest] }: StoreView): SyncStatus['files'] {
  return {
    ...{ segments: segments.length, bytes: segmentBytes },
    checkpoint: newest ? new Date(newest.at).toISOString() : null,
  }
}

function runOf(report: NonNullable<ReturnType<typeof syncOf>['report']>): SyncStatus['run'] {
  const { at, running, collected, sentSegments, readRecords, problem } = report
  const { sentBytes, readBytes, retries, waiting, faults } = report
  return {
    ...{ at, running, collected, sentSegments, readRecords, problem },
    ...{ sentBytes, readBytes, retries, waiting, faults: faults.slice(0, 100) },
  }
}

function stateOf({ phase, paused, store, rings, tag }: SyncConfig): SyncStatus['state'] {
  if (phase === 'joining') return 'joining'
  if (new Membership(store, rings).revoked.has(tag)) return 'removed'
  return paused ? 'paused' : 'on'
}

function devicesOf(
  config: SyncConfig,
  segments: readonly KnownSegment[],
): Omit<SyncStatus['devices'][number], 'seen' | 'behind'>[] {
  const membership = new Membership(config.store, config.rings)
  const { revoked } = membership
  const all = new Map(
    [...membership.rings.values()].flatMap(({ members }) => members.map(one => [one.tag, one])),
  )
  all.delete(codeTag)
  const { last: read } = knownPlaces(segments)
  return [...all.values()].map(({ tag, name }) => ({
    ...{ tag, name, self: tag === config.tag || config.earlier.includes(tag) },
    state: revoked.has(tag) ? 'removed' : 'member',
    read: read.get(tag) ?? null,
  }))
}

/** Removes a device, after reading what it has written. */
export async function revoke(daemon: Daemon, wanted: string): Promise<{ device: string; name: string }> {
  await runExchange(daemon)
  return syncOf(daemon).inLine(async () => {
    const config = await requireConfig(daemon.store.tables)
    const devices = devicesOf(config, await daemon.store.tables.sync.segments())
    const [device, ...others] = devices.filter(
      ({ state, tag, name }) => state === 'member' && (tag === wanted || name === wanted),
    )
    if (!device) throw notFound(`no machine ${wanted} belongs to the sync`, 'memory sync devices lists them')
    if (others.length > 0)
      throw new AppError(
        'conflict',
        `several machines are called ${wanted}; use the tag: memory sync devices`,
      )
    if (device.self && device.tag === config.tag)
      throw new AppError('conflict', 'this is the machine that you are on; use memory sync leave')
    const report = { ...syncOf(daemon).report!, faults: [] }
    const exchange = await openExchange(daemon, config, report)
    const transport = await transportOf(daemon, config, report)
    await listStore(exchange, transport)
    const change = { revoke: [device.tag], until: { [device.tag]: device.read ?? 0 } }
    await addRing(exchange, transport, change)
    await daemon.store.transaction(tables => saveRings(tables, exchange))
    return { device: device.tag, name: device.name }
  })
}

/** A pause ends an exchange that runs; the next one goes on from there. */
export async function pause(daemon: Daemon, paused: boolean): Promise<SyncStatus> {
  const runtime = syncOf(daemon)
  if (paused) await closePlace(daemon)
  await runtime.inLine(async () => {
    const config = await requireConfig(daemon.store.tables)
    await daemon.store.transaction(tables => writeConfig(tables, { ...config, paused }))
    Object.assign(runtime, { isActive: !paused, failures: 0, notBefore: 0 })
  })
  return syncStatusOf(daemon)
}

/** Ends the sync on this machine. Other machines keep it as a member until one of them removes it. */
export async function leave(daemon: Daemon): Promise<{ left: boolean }> {
  const runtime = syncOf(daemon)
  await closePlace(daemon)
  return runtime.inLine(async () => {
    const config = await readConfig(daemon.store.tables)
    await daemon.store.transaction(tables => tables.sync.clear())
    await forgetOwn(daemon)
    await closePlace(daemon)
    runtime.isActive = false
    Object.assign(runtime, nothingSeen())
    return { left: config !== undefined }
  })
}

/**
 * @throws AppError `validation_failed` for an address that can't be used, and for a folder inside the
 * workspace, whose files it would copy
 */
export function requirePlace({ paths }: Pick<Daemon, 'paths'>, address: string): void {
  const place = placeOf(address)
  if (place.kind === 'folder' && isInside(paths.root, place.path))
    throw new AppError('validation_failed', `${address} is inside the workspace; choose a folder outside it`)
}

/** Everything that a person should do something about. @param now milliseconds since the epoch */
function troublesOf(
  { state, devices, run }: Pick<SyncStatus, 'state' | 'devices' | 'run'>,
  now: number,
): SyncTrouble[] {
  if (state === 'off') return []
  const troubles: SyncTrouble[] = []
  const add = (text: string, command: string): void =>
    void troubles.push({ text: oneLine(text, 300), command })
  if (state === 'paused') add('sync is paused', 'memory sync resume')
  if (state === 'removed') add('another machine removed this one from the sync', 'memory sync leave')
  else if (run?.problem) add(`sync could not finish: ${run.problem}`, 'memory sync now')
  if (run && run.faults.length > 0)
    add(
      `sync: ${countOf(run.faults.length, 'problem')} with files, the first: ${run.faults[0]}`,
      'memory sync status',
    )
  for (const { name, tag, self, state: belongs, seen } of devices) {
    if (self || belongs !== 'member' || seen === null) continue
    const days = Math.floor((now - Date.parse(seen)) / dayMs)
    if (now - Date.parse(seen) >= graceMs)
      add(`${name} has not synced for ${days} days`, `memory sync revoke ${tag}`)
    if (Date.parse(seen) - now > mostAheadMs)
      add(
        `the clock of ${name} is ahead of this machine's; correct the one that is wrong`,
        'memory sync devices',
      )
  }
  return troubles
}
