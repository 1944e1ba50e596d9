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
export function merge(state: SyncState, written: SyncRecord): void {
  const record = withoutPurgedTexts(written, state.purgedTexts)
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
    if (record.key !== '') texts.set(record.key, laterOf(texts.get(record.key), clock))
  }
  if (record.id === '' || state.purgedIds.has(record.id)) return
  if (record.kind === 'event') addEvent(state, record)
  else change(state, record)
}

function change(state: SyncState, record: Exclude<SyncRecord, { kind: 'agent' | 'event' | 'purge' }>): void {
  const memory = memoryIn(state, record.id)
  const { clock } = record
  switch (record.kind) {
    case 'save': {
      const saved = { clock, value: record.saved }
      if (!memory.saved || compareWrites(saved, memory.saved) < 0) memory.saved = saved
      hold(memory, { clock, value: record.saved.holder })
      return
    }
    case 'set': {
      const { field, value } = record
      memory.fields.set(field, lastOf(memory.fields.get(field), { clock, value }))
      return
    }
    case 'hold':
      hold(memory, { clock, value: record.holder })
      return
    case 'hint': {
      const value = record.text
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
  if (!known || compareWrites(written(event), written(known)) < 0) state.events.set(event.eventId, event)
}

/** Removes a memory for ever, and its text wherever an earlier write has it. */
function purge(state: SyncState, { id, key, clock }: RecordOf<'purge'>): void {
  if (id !== '') state.purgedIds.set(id, laterOf(state.purgedIds.get(id), clock))
  if (key !== '') state.purgedTexts.set(key, laterOf(state.purgedTexts.get(key), clock))
  state.memories.delete(id)
  for (const memory of state.memories.values()) forgetTexts(state, memory)
  for (const [eventId, event] of state.events)
    if (event.id === id) state.events.delete(eventId)
    else state.events.set(eventId, withoutTextsOf(event, state.purgedTexts))
}

function forgetTexts({ purgedTexts }: SyncState, memory: KnownMemory): void {
  const { saved, fields, hints } = memory
  if (saved) memory.saved = { ...saved, value: withoutFirst(saved.value, saved.clock, purgedTexts) }
  const content = fields.get('content')
  if (content) {
    const value = withoutPurged(content.value as KeyedText, content.clock, purgedTexts)
    fields.set('content', { ...content, value })
  }
  for (const [key, hint] of hints)
    hints.set(key, { ...hint, value: withoutPurged(hint.value, hint.clock, purgedTexts) })
}

type PurgedTexts = ReadonlyMap<string, Clock>

/** Returns the record without texts that were purged after it was written; itself when it has none. */
export function withoutPurgedTexts(record: SyncRecord, purged: PurgedTexts): SyncRecord {
  const { kind, clock } = record
  if (!textsOf(record).some(text => withoutPurged(text, clock, purged) !== text)) return record
  if (kind === 'save') return { ...record, saved: withoutFirst(record.saved, clock, purged) }
  if (kind === 'set') return { ...record, value: withoutPurged(record.value as KeyedText, clock, purged) }
  if (kind === 'hint') return { ...record, text: withoutPurged(record.text, clock, purged) }
  return kind === 'event' ? { ...record, ...withoutTextsOf(record, purged) } : record
}

/** Returns the texts that a record has. */
export function textsOf(record: SyncRecord): KeyedText[] {
  if (record.kind === 'save') return [record.saved.first.content]
  if (record.kind === 'set') return record.field === 'content' ? [record.value as KeyedText] : []
  if (record.kind === 'hint') return [record.text]
  return record.kind === 'event' ? [record.before, record.after].filter(text => text !== null) : []
}

function withoutFirst(saved: SavedMemory, clock: Clock, purged: PurgedTexts): SavedMemory {
  const { first } = saved
  return { ...saved, first: { ...first, content: withoutPurged(first.content, clock, purged) } }
}

function withoutTextsOf(event: Event, purged: PurgedTexts): Event {
  const { before, after, clock } = event
  return {
    ...event,
    before: before && withoutPurged(before, clock, purged),
    after: after && withoutPurged(after, clock, purged),
  }
}

function withoutPurged(text: KeyedText, clock: Clock, purged: PurgedTexts): KeyedText {
  const moment = purged.get(text.key)
  return text.text !== null && moment !== undefined && moment >= clock ? { key: text.key, text: null } : text
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
