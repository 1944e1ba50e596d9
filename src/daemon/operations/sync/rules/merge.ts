import type { Clock } from './clock.js'
import {
  type Changing,
  compareWrites,
  type HolderKey,
  type HolderState,
  type KeyedText,
  lastOf,
  laterOf,
  nameOfHolder,
  type RecordOf,
  type SavedMemory,
  type SyncRecord,
  type TimedValue,
} from './records.js'

/** All that the devices know of one memory. Parts may come in any order, so each may be missing. */
export interface KnownMemory {
  /** The earlier one counts if one id was saved twice. */
  saved: TimedValue<SavedMemory> | undefined
  fields: Map<keyof Changing, TimedValue<Changing[keyof Changing]>>
  holders: Map<string, TimedValue<HolderKey & HolderState>>
  hints: Map<string, TimedValue<KeyedText>>
  forgotten: Clock | undefined
  recovered: Clock | undefined
}

type Event = Omit<RecordOf<'event'>, 'kind'>

/**
 * The union of what devices told. Records may be added in any order and repeatedly: the same records give the
 * same state.
 */
export interface SyncState {
  memories: Map<string, KnownMemory>
  events: Map<string, Event>
  agents: Map<string, TimedValue<string | null>>
  /** Last time that a text of this key was forgotten, recovered or purged. */
  forgottenTexts: Map<string, Clock>
  recoveredTexts: Map<string, Clock>
  purgedTexts: Map<string, Clock>
  purgedIds: Map<string, Clock>
}

export function emptyState(): SyncState {
  return {
    memories: new Map(),
    events: new Map(),
    agents: new Map(),
    forgottenTexts: new Map(),
    recoveredTexts: new Map(),
    purgedTexts: new Map(),
    purgedIds: new Map(),
  }
}

/** Adds one record to what is known. */
export function merge(state: SyncState, record: SyncRecord): void {
  const { clock } = record
  if (record.kind === 'agent') {
    const { name, policy } = record
    state.agents.set(name, lastOf(state.agents.get(name), { clock, value: policy }))
    return
  }
  if (record.kind === 'purge') {
    purge(state, record)
    return
  }
  if (record.kind === 'forget' || record.kind === 'recover') {
    const texts = record.kind === 'forget' ? state.forgottenTexts : state.recoveredTexts
    texts.set(record.key, laterOf(texts.get(record.key), clock))
  }
  if (state.purgedIds.has(record.id)) return
  if (record.kind === 'event') addEvent(state, record)
  else change(state, record)
}

function change(state: SyncState, record: Exclude<SyncRecord, { kind: 'agent' | 'event' | 'purge' }>): void {
  const memory = memoryIn(state, record.id)
  const { clock } = record
  switch (record.kind) {
    case 'save': {
      const { first } = record.saved
      const content = withoutPurged(state, first.content, clock)
      const saved = { clock, value: { ...record.saved, first: { ...first, content } } }
      if (!memory.saved || compareWrites(saved, memory.saved) < 0) memory.saved = saved
      hold(memory, { clock, value: record.saved.holder })
      return
    }
    case 'set': {
      const value =
        record.field === 'content' ? withoutPurged(state, record.value as KeyedText, clock) : record.value
      memory.fields.set(record.field, lastOf(memory.fields.get(record.field), { clock, value }))
      return
    }
    case 'hold':
      hold(memory, { clock, value: record.holder })
      return
    case 'hint': {
      const value = withoutPurged(state, record.text, clock)
      memory.hints.set(value.key, lastOf(memory.hints.get(value.key), { clock, value }))
      return
    }
    case 'forget':
      memory.forgotten = laterOf(memory.forgotten, clock)
      return
    case 'recover':
      memory.recovered = laterOf(memory.recovered, clock)
  }
}

function hold(memory: KnownMemory, written: TimedValue<HolderKey & HolderState>): void {
  const name = nameOfHolder(written.value)
  memory.holders.set(name, lastOf(memory.holders.get(name), written))
}

function addEvent(state: SyncState, { kind: _kind, ...event }: RecordOf<'event'>): void {
  const known = state.events.get(event.eventId)
  const written = (value: Event) => ({ clock: value.clock, value })
  if (!known || compareWrites(written(event), written(known)) < 0)
    state.events.set(event.eventId, withoutPurgedTexts(state, event))
}

/** Removes a memory for ever, and its text wherever an earlier write has it. */
function purge(state: SyncState, { id, key, clock }: RecordOf<'purge'>): void {
  state.purgedIds.set(id, laterOf(state.purgedIds.get(id), clock))
  state.purgedTexts.set(key, laterOf(state.purgedTexts.get(key), clock))
  state.memories.delete(id)
  for (const memory of state.memories.values()) forgetTexts(state, memory)
  for (const [eventId, event] of state.events)
    if (event.id === id) state.events.delete(eventId)
    else state.events.set(eventId, withoutPurgedTexts(state, event))
}

function forgetTexts(state: SyncState, memory: KnownMemory): void {
  const { saved, fields, hints } = memory
  if (saved) {
    const { first } = saved.value
    const content = withoutPurged(state, first.content, saved.clock)
    memory.saved = { ...saved, value: { ...saved.value, first: { ...first, content } } }
  }
  const content = fields.get('content')
  if (content) {
    const value = withoutPurged(state, content.value as KeyedText, content.clock)
    fields.set('content', { ...content, value })
  }
  for (const [key, hint] of hints)
    hints.set(key, { ...hint, value: withoutPurged(state, hint.value, hint.clock) })
}

function withoutPurgedTexts(state: SyncState, event: Event): Event {
  const { before, after, clock } = event
  return {
    ...event,
    before: before && withoutPurged(state, before, clock),
    after: after && withoutPurged(state, after, clock),
  }
}

function withoutPurged({ purgedTexts }: SyncState, text: KeyedText, clock: Clock): KeyedText {
  const purged = purgedTexts.get(text.key)
  return purged !== undefined && purged >= clock ? { key: text.key, text: null } : text
}

function memoryIn({ memories }: SyncState, id: string): KnownMemory {
  const known = memories.get(id)
  if (known) return known
  const created: KnownMemory = {
    saved: undefined,
    fields: new Map(),
    holders: new Map(),
    hints: new Map(),
    forgotten: undefined,
    recovered: undefined,
  }
  memories.set(id, created)
  return created
}
