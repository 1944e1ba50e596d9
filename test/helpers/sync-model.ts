import { createHash } from 'node:crypto'
import { HybridClock, isTooFarAhead } from '../../src/daemon/operations/sync/rules/clock.js'
import {
  emptyState,
  merge,
  type SyncState,
  withoutPurgedTexts,
} from '../../src/daemon/operations/sync/rules/merge.js'
import type { KeyedText, SyncRecord } from '../../src/daemon/operations/sync/rules/records.js'
import {
  recordOfPurge,
  recordsOfMemory,
  recordsOfText,
} from '../../src/daemon/operations/sync/rules/retell.js'
import {
  type Acknowledgement,
  type Checkpoint,
  garbageOf,
  goneFrom,
  graceMs,
  isCheckpointDue,
  isRead,
  isReplaced,
  knownPlaces,
  needsCheckpoint,
  openPurges,
  type Place,
  type PurgeSegment,
  type StoreView,
  shortHash,
} from '../../src/daemon/operations/sync/rules/upkeep.js'
import { type MergedMemory, type MergedView, viewOf } from '../../src/daemon/operations/sync/rules/view.js'

/** Numbers from a seed: the same seed gives the same run. */
export class Chance {
  #state: number
  constructor(seed: number) {
    this.#state = seed
  }
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  oneOf<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!
  }
  shuffled<T>(all: readonly T[]): T[] {
    const rest = [...all]
    return all.map(() => rest.splice(this.below(rest.length), 1)[0]!)
  }
}

const dayMs = 86_400_000
const agents = ['maya', 'noor']
const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
export const rules = {
  hashOf: (text: string) => text,
  spaceOf: ({ visibility, agent }: { visibility: string; agent: string }, policy: string | null) =>
    visibility === 'global' && policy !== 'isolated' ? '' : agent,
}

interface Device {
  tag: string
  clock: HybridClock
  last: string
  skewMs: number
  state: SyncState
  outbox: SyncRecord[]
  sent: number
  /** Places of segments that were read, by their writer. */
  read: Map<string, Set<number>>
  earlier: string[]
  /** The checkpoint that is being read, and its next part. */
  begun: { name: string; next: number }
  purges: PurgeSegment[]
  backup: Omit<Device, 'backup' | 'clock'> | undefined
}

interface StoredCheckpoint extends Checkpoint {
  name: string
  parts: string[]
}

/** Devices that change memories, and a store that delivers late, repeatedly and in pieces. */
export class SyncModel {
  readonly devices: Device[]
  /** Segments by their writer; undefined once deleted. */
  readonly store = new Map<string, (string | undefined)[]>()
  checkpoints: StoredCheckpoint[] = []
  acknowledgements: Acknowledgement[] = []
  readonly faults = { twice: 0, cut: 0, aside: 0, restored: 0, copied: 0, forked: 0, months: 0, revoked: 0 }
  readonly kills = { writing: 0, reading: 0, deleting: 0, readingCut: 0 }
  readonly done = { checkpoints: 0, readCheckpoints: 0, deletedSegments: 0, deletedCheckpoints: 0, empty: 0 }
  operations = 0
  readonly #told: SyncRecord[] = []
  readonly #revoked = new Set<string>()
  #wallMs = 1_760_000_000_000
  #ids = 0
  readonly #chance: Chance

  constructor(seed: number) {
    this.#chance = new Chance(seed)
    this.devices = Array.from({ length: 2 + this.#chance.below(4) }, () => this.#newDevice())
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) {
      this.#wallMs += this.#chance.below(4) * this.#chance.below(60_000)
      const device = this.#chance.oneOf(this.devices)
      const kind = this.#chance.below(100)
      if (kind < 55) this.#change(device)
      else if (kind < 70) this.#send(device)
      else if (kind < 84) this.#receive(device)
      else if (kind < 92) this.#tend(device, this.#chance.below(3) === 0)
      else if (kind < 95) device.backup = copyOf(device)
      else if (kind < 97) this.#restore(device)
      else if (kind < 98 && this.devices.length < 6) this.#copyMachine(device)
      else if (kind < 99 && this.#chance.below(3) === 0) {
        this.#wallMs += graceMs + dayMs
        this.faults.months++
      } else if (this.devices.length > 2 && this.#chance.below(6) === 0) this.#revoke(device)
    }
  }

  /** Lets every device read everything; two days pass, so that no clock is ahead any more. */
  settle(): void {
    this.#wallMs += 3 * dayMs
    for (const device of this.devices) this.#send(device)
    for (const device of this.devices) this.#send(device)
    for (let round = 0; round < 2; round++)
      for (const device of this.devices) {
        this.#readAll(device)
        this.#tend(device, false, false)
      }
  }

  /** Lets all devices tend the store until no purged text should be left. */
  clean(): void {
    for (let round = 0; round < 4; round++) {
      this.#wallMs += graceMs + dayMs
      for (const device of this.devices) this.#acknowledge(device)
      for (const device of this.devices) {
        this.#tend(device, false, false)
        this.#readAll(device)
      }
    }
  }

  /** A machine that comes last, and finds only what is left. */
  newcomer(): SyncState {
    const device = this.#newDevice()
    this.#readAll(device)
    return device.state
  }

  /** Everything that was ever told. */
  records(): SyncRecord[] {
    return this.#told
  }

  /** Everything that the store has now. */
  stored(): SyncRecord[] {
    const texts = [...this.store.values()].flat().filter(text => text !== undefined)
    return [...texts, ...this.checkpoints.flatMap(({ parts }) => parts)].flatMap(
      text => JSON.parse(text) as SyncRecord[],
    )
  }

  #readAll(device: Device): void {
    this.#begin(device, false)
    for (const [tag, segments] of this.store)
      for (let at = 0; at < segments.length; at++) this.#read(device, tag, at)
  }

  #segments(): Place[] {
    return [...this.store].flatMap(([tag, segments]) =>
      segments.flatMap((text, at) => (text === undefined ? [] : placeOf(tag, at))),
    )
  }

  #known({ read }: Device): Place[] {
    return [...read].flatMap(([tag, places]) => [...places].map(at => placeOf(tag, at)))
  }

  #view(device: Device): StoreView {
    const checkpoints = this.checkpoints
      .filter(one => !this.#revoked.has(one.device))
      .sort((a, b) => b.at - a.at)
    device.purges = openPurges(device.purges, checkpoints)
    return {
      ...{ now: this.#wallMs + device.skewMs, own: device.tag, earlier: device.earlier },
      members: [...Array(this.#ids).keys()].map(tagOfNumber).filter(tag => !this.#revoked.has(tag)),
      ...{ revoked: this.#revoked, known: knownPlaces(this.#known(device)) },
      ...{ segments: this.#segments(), segmentBytes: 0 },
      ...{ purges: device.purges, checkpoints },
      acknowledgements: this.acknowledgements,
    }
  }

  /** Reads the checkpoints that are needed; a kill may come after any part. */
  #begin(device: Device, mayKill = true): void {
    for (const one of this.#view(device).checkpoints)
      this.#readCheckpoint(device, one as StoredCheckpoint, mayKill)
  }

  #readCheckpoint(device: Device, newest: StoredCheckpoint, mayKill: boolean): void {
    const { known } = this.#view(device)
    const present = new Set(this.#segments().map(({ hash }) => hash))
    if (!needsCheckpoint(newest, known, present)) return
    if (mayKill && this.#chance.below(6) === 0) {
      this.kills.readingCut++
      return
    }
    if (device.begun.name !== newest.name) device.begun = { name: newest.name, next: 0 }
    for (; device.begun.next < newest.parts.length; device.begun.next++) {
      if (mayKill && this.#chance.below(8) === 0) {
        this.kills.reading++
        return
      }
      const records = JSON.parse(newest.parts[device.begun.next]!) as SyncRecord[]
      if (!this.#add(device, records)) return
    }
    for (const { device: tag, number } of newest.covers)
      device.read.set(tag, new Set([...(device.read.get(tag) ?? []), number - 1]))
    this.done.readCheckpoints++
  }

  #acknowledge(device: Device): void {
    const { now, known, segments } = this.#view(device)
    const read = segments.filter(({ hash }) => known.hashes.has(hash)).map(({ hash }) => shortHash(hash))
    const mine = [device.tag, ...device.earlier]
    this.acknowledgements = this.acknowledgements.filter(one => !mine.includes(one.device))
    this.acknowledgements.push({ device: device.tag, at: now, read: new Set(read) })
  }

  /** What a device does at the end of an exchange; a kill may come between any two steps. */
  #tend(device: Device, isDue: boolean, mayKill = true): void {
    if (this.#revoked.has(device.tag)) return
    if ((this.store.get(device.tag)?.length ?? 0) > device.sent) this.#retag(device)
    this.#send(device)
    if (this.#chance.below(2) === 0) this.#acknowledge(device)
    const view = this.#view(device)
    if (isDue || isCheckpointDue(view)) this.#checkpoint(device, view, mayKill)
    this.#deleteSegments(device, view, mayKill)
    const before = this.checkpoints.length
    const whole = view.checkpoints
    const isGone = goneFrom(view)
    this.checkpoints = this.checkpoints.filter(
      one =>
        (one.device !== device.tag && !isGone(one.device)) ||
        !isReplaced(one, { checkpoints: whole, now: view.now }),
    )
    this.done.deletedCheckpoints += before - this.checkpoints.length
  }

  #checkpoint(device: Device, view: StoreView, mayKill: boolean): void {
    if (device.outbox.length > 0) return
    if (view.checkpoints.some(({ covers }) => covers.some(place => !isRead(view.known, place)))) return
    if (mayKill && this.#chance.below(5) === 0) {
      // Parts without a list: nobody reads them.
      this.kills.writing++
      return
    }
    const records = recordsOfState(device.state)
    const { last } = view.known
    const present = new Set(view.segments.map(({ hash }) => hash))
    const covers = this.#known(device).filter(
      place => present.has(place.hash) || place.number === last.get(place.device),
    )
    const size = 1 + this.#chance.below(30)
    const parts: string[] = []
    for (let at = 0; at < records.length; at += size) parts.push(JSON.stringify(records.slice(at, at + size)))
    this.checkpoints.push({
      ...{ device: device.tag, covers, parts, bytes: 0, name: `c${this.#ids++}` },
      at: Math.max(view.now, ...this.checkpoints.map(one => one.at + 1)),
      afterPurge: view.purges.length > 0,
    })
    this.done.checkpoints++
  }

  #deleteSegments(device: Device, view: StoreView, mayKill: boolean): void {
    const { segments, withLast } = garbageOf(view)
    const { last } = view.known
    for (const { device: tag, number } of segments)
      if (number !== last.get(tag)) device.read.get(tag)?.delete(number - 1)
    for (const { device: tag, number } of segments) {
      if (mayKill && this.#chance.below(5) === 0) {
        this.kills.deleting++
        return
      }
      this.store.get(tag)![number - 1] = undefined
      this.done.deletedSegments++
    }
    if (!withLast) return
    this.done.empty++
    this.#put(device, '[]')
  }

  /** One device removes another: all that the others have read of it counts. */
  #revoke(by: Device): void {
    const device = this.devices.find(one => one.tag !== by.tag && one.outbox.length === 0)
    if (!device || this.devices.some(one => one !== device && one.tag === device.tag)) return
    for (const one of this.devices) if (one !== device) this.#readAll(one)
    this.devices.splice(this.devices.indexOf(device), 1)
    this.#revoked.add(device.tag)
    this.faults.revoked++
  }

  #newDevice(): Device {
    const tag = this.#newTag()
    const skewMs = (this.#chance.below(3) - 1) * this.#chance.below(dayMs)
    return {
      tag,
      clock: new HybridClock(tag),
      last: '',
      skewMs,
      state: emptyState(),
      outbox: [],
      sent: 0,
      read: new Map(),
      earlier: [],
      begun: { name: '', next: 0 },
      purges: [],
      backup: undefined,
    }
  }

  #newTag(): string {
    return tagOfNumber(this.#ids++)
  }

  #note(device: Device, record: DistributiveOmit<SyncRecord, 'clock'>): void {
    const whole = { ...record, clock: device.clock.next(this.#wallMs + device.skewMs) } as SyncRecord
    device.last = whole.clock
    merge(device.state, structuredClone(whole))
    device.outbox.push(whole)
  }

  #change(device: Device): void {
    this.operations++
    const view = viewOf(device.state, rules)
    const kind = this.#chance.below(17)
    if (kind < 4 || view.memories.length === 0) this.#save(device, view)
    else if (kind === 4) {
      const policy = this.#chance.oneOf(['shared', 'isolated', null])
      this.#note(device, { kind: 'agent', name: this.#chance.oneOf(agents), policy })
    } else this.#changeOne(device, { view, memory: this.#chance.oneOf(view.memories), kind })
  }

  #save(device: Device, view: MergedView): void {
    const text = `word${this.#chance.below(7)}x`
    const holder = {
      agent: this.#chance.oneOf(agents),
      project: this.#chance.oneOf([null, 'boat']),
      scope: null,
      held: true,
      visibility: this.#chance.oneOf(['global', 'private']),
      heldAt: String(this.#wallMs),
    }
    const space = rules.spaceOf(holder, device.state.agents.get(holder.agent)?.value ?? null)
    const same = view.memories.find(
      one => !one.forgotten && one.text === text && this.#spaceOf(device, one) === space,
    )
    if (same) {
      this.#note(device, { kind: 'hold', id: same.id, holder })
      return
    }
    const id = `m${hash(`${device.tag} ${this.#ids++}`)}`
    const first = {
      content: keyed(space, text),
      type: 'fact',
      tags: [`tag${this.#chance.below(3)}`],
      importance: this.#chance.below(10) / 10,
      pinned: this.#chance.below(4) === 0,
      who: null,
      reviewAfter: null,
      validUntil: null,
      expiresAt: null,
      superseded: null,
    }
    this.#note(device, {
      kind: 'save',
      id,
      saved: { origin: { createdAt: String(this.#wallMs) }, first, holder },
    })
    this.#event(device, id, null, first.content)
  }

  #changeOne(
    device: Device,
    { view, memory, kind }: { view: MergedView; memory: MergedMemory; kind: number },
  ): void {
    const { id } = memory
    const key = this.#keyed(device, memory).key
    const all = [id, ...[...view.aliases].filter(([, into]) => into === id).map(([alias]) => alias)]
    if (kind === 5) for (const one of all) this.#note(device, { kind: 'forget', id: one, key })
    else if (kind === 6 && memory.forgotten) this.#note(device, { kind: 'recover', id, key })
    else if (kind === 7 && this.#chance.below(3) === 0)
      for (const one of all) this.#note(device, { kind: 'purge', id: one, key })
    else if (kind === 8) this.#edit(device, view, memory)
    else if (kind === 9)
      this.#note(device, { kind: 'set', id, field: 'tags', value: [`set${this.#chance.below(4)}`] })
    else if (kind === 10) this.#note(device, { kind: 'set', id, field: 'pinned', value: !memory.pinned })
    else if (kind === 11 || kind > 13) {
      const by = this.#chance.oneOf(view.memories.slice(0, 4)).id
      const value = this.#chance.below(4) === 0 ? null : { by, at: String(this.#wallMs), reason: null }
      this.#note(device, { kind: 'set', id, field: 'superseded', value })
    } else if (kind === 12) {
      const holder = { ...this.#chance.oneOf(memory.holders), held: false }
      for (const one of all) this.#note(device, { kind: 'hold', id: one, holder })
    } else if (kind === 13)
      this.#note(device, { kind: 'hint', id, text: keyed('hint', `hint${this.#chance.below(3)}`) })
  }

  #edit(device: Device, { memories }: MergedView, memory: MergedMemory): void {
    const text = `word${this.#chance.below(7)}x`
    const space = this.#spaceOf(device, memory)
    if (memories.some(one => one.text === text && this.#spaceOf(device, one) === space)) return
    const value = keyed(space, text)
    this.#event(device, memory.id, this.#keyed(device, memory), value)
    this.#note(device, { kind: 'set', id: memory.id, field: 'content', value })
  }

  #event(device: Device, id: string, before: KeyedText | null, after: KeyedText): void {
    this.#note(device, { kind: 'event', id, eventId: `e${this.#ids++}`, event: 'changed', before, after })
  }

  /** The text with the key that its last writer gave it, as a device stores it. */
  #keyed(device: Device, { id, text }: MergedMemory): KeyedText {
    const known = device.state.memories.get(id)
    const set = known?.fields.get('content')
    const first = known?.saved
    const last =
      set && (!first || set.clock > first.clock) ? (set.value as KeyedText) : first?.value.first.content
    return last ?? keyed('', text)
  }

  #spaceOf(device: Device, { holders }: MergedMemory): string {
    return rules.spaceOf(holders[0]!, device.state.agents.get(holders[0]!.agent)?.value ?? null)
  }

  #send(device: Device): void {
    if (device.outbox.length === 0) return
    const { purgedTexts } = device.state
    const text = JSON.stringify(device.outbox.map(record => withoutPurgedTexts(record, purgedTexts)))
    const segments = this.store.get(device.tag) ?? []
    if (segments.length > device.sent) {
      // Another machine wrote under this tag: from now on this one has a tag of its own.
      this.faults.forked++
      this.#retag(device)
      return
    }
    this.#told.push(...(JSON.parse(text) as SyncRecord[]))
    this.#put(device, text)
    device.outbox = []
  }

  #put(device: Device, text: string): void {
    const segments = this.store.get(device.tag) ?? []
    this.store.set(device.tag, [...segments, text])
    device.sent++
    this.#notePurges(device, placeOf(device.tag, segments.length), text)
    device.read.set(device.tag, new Set([...(device.read.get(device.tag) ?? []), segments.length]))
  }

  #retag(device: Device): void {
    device.earlier.push(device.tag)
    device.tag = this.#newTag()
    device.clock = new HybridClock(device.tag, device.last || undefined)
    device.sent = 0
  }

  /** Reads the next segment of some device, or one that was read before. */
  #receive(device: Device): void {
    const tags = [...this.store.keys()]
    if (tags.length === 0) return
    if (this.#chance.below(4) === 0) this.#begin(device)
    const tag = this.#chance.oneOf(tags)
    const next = Math.max(-1, ...(device.read.get(tag) ?? [])) + 1
    const isNext = this.#chance.below(4) !== 0 && next < this.store.get(tag)!.length
    this.#read(device, tag, isNext ? next : this.#chance.below(this.store.get(tag)!.length))
  }

  #read(device: Device, tag: string, at: number): void {
    const text = this.store.get(tag)![at]
    if (text === undefined || this.#revoked.has(device.tag)) return
    const read = device.read.get(tag)
    if (read?.has(at)) {
      if (this.#chance.below(4) !== 0) return
      this.faults.twice++
    } else if (at < Math.min(...(read ?? [0])) || (at > 0 && !read?.has(at - 1))) return
    if (this.#chance.below(100) === 0) {
      // A file that is cut is no JSON: nothing of it is taken, and it is read again.
      this.faults.cut++
      if (isJson(text.slice(0, this.#chance.below(text.length)))) throw new Error('a cut segment was read')
    }
    if (!this.#add(device, JSON.parse(text) as SyncRecord[])) return
    this.#notePurges(device, placeOf(tag, at), text)
    device.read.set(tag, new Set([...(read ?? []), at]))
  }

  #notePurges(device: Device, place: Place, text: string): void {
    const { purgedTexts } = device.state
    const records = JSON.parse(text) as SyncRecord[]
    if (records.some(one => one.kind === 'purge' || withoutPurgedTexts(one, purgedTexts) !== one))
      device.purges.push({ ...place, at: this.#wallMs + device.skewMs })
  }

  /** @returns false for records that wait, because they come from the future */
  #add(device: Device, records: readonly SyncRecord[]): boolean {
    if (records.some(({ clock }) => isTooFarAhead(clock, this.#wallMs + device.skewMs))) {
      this.faults.aside++
      return false
    }
    for (const record of this.#chance.shuffled(records)) {
      merge(device.state, record)
      device.clock.accept(record.clock)
      if (record.clock > device.last) device.last = record.clock
    }
    return true
  }

  #restore(device: Device): void {
    if (!device.backup) return
    this.faults.restored++
    Object.assign(device, copyOf(device.backup))
    this.#retag(device)
  }

  /** Two machines go on under one tag, until one of them notices. */
  #copyMachine(device: Device): void {
    this.faults.copied++
    const copy = copyOf(device)
    const clock = new HybridClock(copy.tag, copy.last || undefined)
    this.devices.push({ ...copy, clock, backup: undefined })
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

function copyOf(device: Omit<Device, 'backup' | 'clock'>) {
  const { tag, last, skewMs, state, outbox, sent, read, earlier, begun, purges } = device
  return structuredClone({ tag, last, skewMs, state, outbox, sent, read, earlier, begun, purges })
}

function tagOfNumber(number: number): string {
  return `d${number.toString(36).padStart(3, '0')}`
}

function placeOf(device: string, at: number): Place {
  return { device, number: at + 1, hash: `${device}-${at}` }
}

/** Everything that a device knows, as a checkpoint has it. */
function recordsOfState(state: SyncState): SyncRecord[] {
  const { forgottenTexts, recoveredTexts, purgedTexts } = state
  const keys = new Set([...forgottenTexts.keys(), ...recoveredTexts.keys(), ...purgedTexts.keys()])
  const moments = (key: string) => ({
    forgotten: forgottenTexts.get(key) ?? null,
    recovered: recoveredTexts.get(key) ?? null,
    purged: purgedTexts.get(key) ?? null,
  })
  return [
    ...[...state.purgedIds].map(([id, clock]) => recordOfPurge({ id, clock })),
    ...[...keys].flatMap(key => recordsOfText({ key, ...moments(key) })),
    ...[...state.agents].map(([name, { clock, value }]) => ({
      ...{ kind: 'agent' as const, name, clock, policy: value },
    })),
    ...[...state.memories].flatMap(([id, known]) => recordsOfMemory(id, known)),
    ...[...state.events.values()].map(event => ({ kind: 'event' as const, ...event })),
  ]
}

function keyed(space: string, text: string): KeyedText {
  return { text, key: hash(`${space} ${text}`) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Everything that a device knows and shows, in one order. */
export function dumpOf(state: SyncState): string {
  const sorted = (_name: string, value: unknown): unknown =>
    value instanceof Map ? [...value].sort(([a], [b]) => (a < b ? -1 : 1)) : value
  return JSON.stringify({ view: viewOf(state, rules), state }, sorted)
}
