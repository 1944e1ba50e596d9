import { HybridClock, isTooFarAhead } from '../../src/daemon/operations/sync/rules/clock.js'
import {
  emptyState,
  merge,
  type SyncState,
  withoutPurgedTexts,
} from '../../src/daemon/operations/sync/rules/merge.js'
import type { SyncRecord } from '../../src/daemon/operations/sync/rules/records.js'
import {
  type Acknowledgement,
  type Checkpoint,
  garbageOf,
  goneFrom,
  graceMs,
  inNoCheckpoint,
  isCheckpointDue,
  isRead,
  isReplaced,
  knownPlaces,
  needsCheckpoint,
  needUnion,
  type SegmentPlace,
  type StoreView,
  shortHash,
} from '../../src/daemon/operations/sync/rules/upkeep.js'
import { LocalChanges } from './sync-model-changes.js'
import {
  Chance,
  copyOf,
  type Device,
  dayMs,
  isJson,
  placeOf,
  recordsOfState,
  tagOfNumber,
} from './sync-model-parts.js'

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
  readonly #told: SyncRecord[] = []
  readonly #revoked = new Set<string>()
  #wallMs = 1_760_000_000_000
  #ids = 0
  readonly #chance: Chance
  readonly #changes: LocalChanges

  constructor(seed: number) {
    this.#chance = new Chance(seed)
    this.#changes = new LocalChanges(this.#chance, () => this.#ids++)
    this.devices = Array.from({ length: 2 + this.#chance.below(4) }, () => this.#newDevice())
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) {
      this.#wallMs += this.#chance.below(4) * this.#chance.below(60_000)
      const device = this.#chance.oneOf(this.devices)
      const kind = this.#chance.below(100)
      if (kind < 55) this.#changes.change(device, this.#wallMs)
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

  get operations(): number {
    return this.#changes.operations
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

  #segments(): SegmentPlace[] {
    return [...this.store].flatMap(([tag, segments]) =>
      segments.flatMap((text, at) => (text === undefined ? [] : placeOf(tag, at))),
    )
  }

  #known({ read }: Device): SegmentPlace[] {
    return [...read].flatMap(([tag, places]) => [...places].map(at => placeOf(tag, at)))
  }

  #view(device: Device): StoreView {
    const checkpoints = this.checkpoints
      .filter(one => !this.#revoked.has(one.device))
      .sort((a, b) => b.at - a.at)
    device.purges = inNoCheckpoint(device.purges, checkpoints)
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
    const read = segments.filter(segment => isRead(known, segment)).map(({ hash }) => shortHash(hash))
    const mine = [device.tag, ...device.earlier]
    this.acknowledgements = this.acknowledgements.filter(one => !mine.includes(one.device))
    this.acknowledgements.push({ device: device.tag, at: now, read: new Set(read) })
  }

  /** Everything that a device does at the end of an exchange; a kill may come between any two steps. */
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
        // The list of a revoked device is not read.
        !isReplaced(this.#revoked.has(one.device) ? { ...one, covers: [] } : one, {
          checkpoints: whole,
          now: view.now,
        }),
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
      afterPurge: view.purges.length > 0 || needUnion(view.checkpoints),
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

  #notePurges(device: Device, place: SegmentPlace, text: string): void {
    const { purgedTexts } = device.state
    const records = JSON.parse(text) as SyncRecord[]
    if (device.purges.some(({ hash }) => hash === place.hash)) return
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
