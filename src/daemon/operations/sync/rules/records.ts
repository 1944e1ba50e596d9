import type { Clock } from './clock.js'

/**
 * A text with the keyed hash of its space and itself. A purge removes the text and keeps the key, by which it
 * is recognised wherever it comes from.
 */
export interface KeyedText {
  text: string | null
  key: string
}

/** Values of a memory that each go to their last writer. */
export interface Changing {
  content: KeyedText
  type: string
  tags: readonly string[]
  importance: number
  pinned: boolean
  who: string | null
  reviewAfter: string | null
  validUntil: string | null
  expiresAt: string | null
  /** Null takes a supersession back. */
  superseded: { by: string; at: string; reason: string | null } | null
}

/** An agent, project and scope that hold a memory. */
export interface HolderKey {
  agent: string
  project: string | null
  scope: string | null
}

export interface HolderState {
  /** False when the holder let go. */
  held: boolean
  visibility: string
  heldAt: string
}

/** Everything of a memory that never changes, and its first values. */
export interface SavedMemory {
  /** Kind, times, source, session and author, as they were saved. */
  origin: Readonly<Record<string, string | number | null>>
  first: Changing
  holder: HolderKey & HolderState
}

/** One change that a device tells the others. */
export type SyncRecord = { clock: Clock } & (
  | { kind: 'save'; id: string; saved: SavedMemory }
  | { kind: 'set'; id: string; field: keyof Changing; value: Changing[keyof Changing] }
  | { kind: 'hold'; id: string; holder: HolderKey & HolderState }
  /**
   * `key` is that of the text at this moment: it reaches saves of the same text elsewhere. Without a key it
   * is about the memory alone, without an id about the text alone.
   */
  | { kind: 'forget'; id: string; key: string }
  | { kind: 'recover'; id: string; key: string }
  | { kind: 'purge'; id: string; key: string }
  | { kind: 'hint'; id: string; text: KeyedText }
  | {
      kind: 'event'
      id: string
      eventId: string
      event: string
      before: KeyedText | null
      after: KeyedText | null
    }
  | { kind: 'agent'; name: string; policy: string | null }
)

export type RecordOf<K extends SyncRecord['kind']> = Extract<SyncRecord, { kind: K }>

/** A value with the moment it was written at. */
export interface TimedValue<T> {
  clock: Clock
  value: T
}

/**
 * Orders two writes. A copied machine may give one moment twice: equal moments are ordered by their values.
 * @returns a positive number when `a` is the later one
 */
export function compareWrites<T>(a: TimedValue<T>, b: TimedValue<T>): number {
  if (a.clock !== b.clock) return a.clock < b.clock ? -1 : 1
  const [left, right] = [comparable(a.value), comparable(b.value)]
  return left === right ? 0 : left < right ? -1 : 1
}

/** A text is compared by its key, since one side may have purged it. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (name, part) => (name === 'text' ? undefined : part))
}

/** Returns the later of two writes. */
export function lastOf<T>(a: TimedValue<T> | undefined, b: TimedValue<T>): TimedValue<T> {
  return a && compareWrites(a, b) >= 0 ? a : b
}

/** Returns the later of two moments. */
export function laterOf(a: Clock | undefined, b: Clock): Clock {
  return a !== undefined && a > b ? a : b
}

/** Names a holder within a memory. */
export function nameOfHolder({ agent, project, scope }: HolderKey): string {
  return JSON.stringify([agent, project, scope])
}
