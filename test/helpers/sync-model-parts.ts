import { createHash } from 'node:crypto'
import type { HybridClock } from '../../src/daemon/operations/sync/rules/clock.js'
import type { SyncState } from '../../src/daemon/operations/sync/rules/merge.js'
import type { KeyedText, SyncRecord } from '../../src/daemon/operations/sync/rules/records.js'
import type { PurgeSegment, SegmentPlace } from '../../src/daemon/operations/sync/rules/upkeep.js'
import { viewOf } from '../../src/daemon/operations/sync/rules/view.js'
import {
  recordOfPurge,
  recordsOfMemory,
  recordsOfText,
} from '../../src/daemon/operations/sync/state/tell-again.js'

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

export const dayMs = 86_400_000
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
export const rules = {
  hashOf: (text: string) => text,
  spaceOf: ({ visibility, agent }: { visibility: string; agent: string }, policy: string | null) =>
    visibility === 'global' && policy !== 'isolated' ? '' : agent,
}

/** A device of the model. */
export interface Device {
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

export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

export function copyOf(device: Omit<Device, 'backup' | 'clock'>) {
  const { tag, last, skewMs, state, outbox, sent, read, earlier, begun, purges } = device
  return structuredClone({ tag, last, skewMs, state, outbox, sent, read, earlier, begun, purges })
}

export function tagOfNumber(number: number): string {
  return `d${number.toString(36).padStart(3, '0')}`
}

export function placeOf(device: string, at: number): SegmentPlace {
  return { device, number: at + 1, hash: `${device}-${at}` }
}

/** Everything that a device knows, as a checkpoint has it. */
export function recordsOfState(state: SyncState): SyncRecord[] {
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

export function keyed(space: string, text: string): KeyedText {
  return { text, key: hash(`${space} ${text}`) }
}

export function isJson(text: string): boolean {
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
