import { createHash } from 'node:crypto'
import { HybridClock, isTooFarAhead } from '../../src/daemon/operations/sync/rules/clock.js'
import { emptyState, merge, type SyncState } from '../../src/daemon/operations/sync/rules/merge.js'
import type { KeyedText, SyncRecord } from '../../src/daemon/operations/sync/rules/records.js'
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
  /** Numbers of segments that were read, by their writer. */
  read: Map<string, Set<number>>
  backup: Omit<Device, 'backup' | 'clock'> | undefined
}

/** Devices that change memories, and a store that delivers late, repeatedly and in pieces. */
export class SyncModel {
  readonly devices: Device[]
  readonly store = new Map<string, string[]>()
  readonly faults = { twice: 0, cut: 0, aside: 0, restored: 0, copied: 0, forked: 0 }
  operations = 0
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
      else if (kind < 92) this.#receive(device)
      else if (kind < 95) device.backup = copyOf(device)
      else if (kind < 97) this.#restore(device)
      else if (kind < 98 && this.devices.length < 6) this.#copyMachine(device)
    }
  }

  /** Lets every device read everything; two days pass, so that no clock is ahead any more. */
  settle(): void {
    this.#wallMs += 3 * dayMs
    for (const device of this.devices) this.#send(device)
    for (const device of this.devices) this.#send(device)
    for (const device of this.devices)
      for (const [tag, segments] of this.store)
        for (let at = 0; at < segments.length; at++) this.#read(device, tag, at)
  }

  records(): SyncRecord[] {
    return [...this.store.values()].flat().flatMap(text => JSON.parse(text) as SyncRecord[])
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
      backup: undefined,
    }
  }

  #newTag(): string {
    return `d${(this.#ids++).toString(36).padStart(3, '0')}`
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
    const text = JSON.stringify(device.outbox)
    const segments = this.store.get(device.tag) ?? []
    if (segments.length > device.sent) {
      // Another machine wrote under this tag: from now on this one has a tag of its own.
      this.faults.forked++
      this.#retag(device)
      return
    }
    this.store.set(device.tag, [...segments, text])
    device.sent++
    device.read.set(device.tag, new Set([...(device.read.get(device.tag) ?? []), segments.length]))
    device.outbox = []
  }

  #retag(device: Device): void {
    device.tag = this.#newTag()
    device.clock = new HybridClock(device.tag, device.last || undefined)
    device.sent = 0
  }

  #receive(device: Device): void {
    const tags = [...this.store.keys()]
    if (tags.length === 0) return
    const tag = this.#chance.oneOf(tags)
    this.#read(device, tag, this.#chance.below(this.store.get(tag)!.length))
  }

  #read(device: Device, tag: string, at: number): void {
    const text = this.store.get(tag)![at]!
    if (device.read.get(tag)?.has(at)) {
      if (this.#chance.below(4) !== 0) return
      this.faults.twice++
    }
    if (this.#chance.below(100) === 0) {
      // A file that is cut is no JSON: nothing of it is taken, and it is read again.
      this.faults.cut++
      if (isJson(text.slice(0, this.#chance.below(text.length)))) throw new Error('a cut segment was read')
    }
    const records = JSON.parse(text) as SyncRecord[]
    if (records.some(({ clock }) => isTooFarAhead(clock, this.#wallMs + device.skewMs))) {
      this.faults.aside++
      return
    }
    for (const record of this.#chance.shuffled(records)) {
      merge(device.state, record)
      device.clock.accept(record.clock)
      if (record.clock > device.last) device.last = record.clock
    }
    device.read.set(tag, new Set([...(device.read.get(tag) ?? []), at]))
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

function copyOf({ tag, last, skewMs, state, outbox, sent, read }: Omit<Device, 'backup' | 'clock'>) {
  return structuredClone({ tag, last, skewMs, state, outbox, sent, read })
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
