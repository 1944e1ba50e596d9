import type { SyncMemoryRow, SyncSelection } from '../../../../store/tables/operations/sync.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { contentHash } from '../../../memory/records/normalise-content.js'
import type { Clock } from '../rules/clock.js'
import { emptyState, type KnownMemory, type SyncState, textsOf } from '../rules/merge.js'
import { compareWrites, type KeyedText, type SyncRecord } from '../rules/records.js'
import { type MergedView, type ViewRules, viewOf } from '../rules/view.js'

/** A part of what is known, whole for each memory that it has, and the stored form of each of them. */
export interface KnownPart {
  state: SyncState
  /** Stored texts by id, to see what changed. */
  stored: Map<string, string>
  storedTexts: Map<string, string>
  storedAgents: Map<string, string>
  purged: Set<string>
}

/** Which agents share their memories, and when two texts are the same. */
export const viewRules: ViewRules = {
  hashOf: text => contentHash(text),
  spaceOf: ({ visibility, agent }, policy) => (visibility === 'global' && isShared(policy) ? '' : agent),
}

/** The policy of an agent as records have it. */
export function policyText({
  read_policy,
  policy_group,
}: {
  read_policy: string
  policy_group: string | null
}): string {
  return JSON.stringify([read_policy, policy_group])
}

function isShared(policy: string | null): boolean {
  return policy === null || (JSON.parse(policy) as string[])[0] === 'shared'
}

/**
 * Loads the memories that these changes can touch: those that are named, that have or had one of the texts,
 * and all that replace or are replaced by one of them.
 */
export async function loadKnown(
  tables: Pick<Tables, 'sync'>,
  seeds: { ids: Iterable<string>; hashes: Iterable<string>; keys: Iterable<string> },
): Promise<KnownPart> {
  const part: KnownPart = {
    state: emptyState(),
    stored: new Map(),
    storedTexts: new Map(),
    storedAgents: new Map(),
    purged: new Set(),
  }
  const asked = { ids: new Set<string>(), hashes: new Set<string>(), keys: new Set<string>() }
  let open = { ids: new Set(seeds.ids), hashes: new Set(seeds.hashes), keys: new Set(seeds.keys) }
  while (open.ids.size + open.hashes.size + open.keys.size > 0) {
    const selection: SyncSelection = { ids: [...open.ids], hashes: [...open.hashes], keys: [...open.keys] }
    for (const name of ['ids', 'hashes', 'keys'] as const) for (const one of open[name]) asked[name].add(one)
    const found = { ids: new Set<string>(), hashes: new Set<string>(), keys: new Set<string>() }
    for (const row of await tables.sync.known(selection)) {
      if (!part.stored.has(row.id)) learn(part, row)
      // Its own id is asked too, for the memories that it replaces.
      found.ids.add(row.id)
      if (row.replaced_by !== null) found.ids.add(row.replaced_by)
      if (row.hash !== '') found.hashes.add(row.hash)
      for (const key of [row.text_key, row.first_key]) if (key !== '') found.keys.add(key)
    }
    open = {
      ids: without(found.ids, asked.ids),
      hashes: without(found.hashes, asked.hashes),
      keys: without(found.keys, asked.keys),
    }
  }
  await loadBeside(tables, part, asked)
  return part
}

function without(some: Set<string>, others: Set<string>): Set<string> {
  return new Set([...some].filter(one => !others.has(one)))
}

function learn({ state, stored }: KnownPart, row: SyncMemoryRow): void {
  stored.set(row.id, row.known)
  state.memories.set(row.id, decodeKnown(row.known))
}

async function loadBeside(
  { sync }: Pick<Tables, 'sync'>,
  { state, storedTexts, storedAgents, purged }: KnownPart,
  { ids, keys }: { ids: Set<string>; keys: Set<string> },
): Promise<void> {
  for (const { key, ...moments } of await sync.texts([...keys])) {
    if (moments.forgotten !== null) state.forgottenTexts.set(key, moments.forgotten)
    if (moments.recovered !== null) state.recoveredTexts.set(key, moments.recovered)
    if (moments.purged !== null) state.purgedTexts.set(key, moments.purged)
    storedTexts.set(key, JSON.stringify(moments))
  }
  for (const { id, clock } of await sync.purged([...ids])) {
    state.purgedIds.set(id, clock)
    purged.add(id)
  }
  for (const { name, clock, policy } of await sync.agents()) {
    state.agents.set(name, { clock, value: policy })
    storedAgents.set(name, clock)
  }
}

/** Stores what the merge changed. */
export async function saveKnown({ sync }: Pick<Tables, 'sync'>, part: KnownPart): Promise<void> {
  const { state, stored, storedTexts, storedAgents, purged } = part
  const rows: SyncMemoryRow[] = []
  for (const [id, known] of state.memories) {
    const text = encodeKnown(known)
    if (stored.get(id) !== text) rows.push(rowOf(id, known, text))
  }
  await sync.putKnown(rows)
  await sync.dropKnown([...stored.keys()].filter(id => !state.memories.has(id)))
  const keys = new Set([
    ...state.forgottenTexts.keys(),
    ...state.recoveredTexts.keys(),
    ...state.purgedTexts.keys(),
  ])
  const momentsOf = (key: string) => ({
    forgotten: state.forgottenTexts.get(key) ?? null,
    recovered: state.recoveredTexts.get(key) ?? null,
    purged: state.purgedTexts.get(key) ?? null,
  })
  const texts = [...keys].map(key => ({ key, ...momentsOf(key) }))
  await sync.putTexts(texts.filter(({ key }) => storedTexts.get(key) !== JSON.stringify(momentsOf(key))))
  const gone = [...state.purgedIds].map(([id, clock]) => ({ id, clock }))
  await sync.putPurged(gone.filter(({ id }) => !purged.has(id)))
  const agents = [...state.agents].map(([name, { clock, value }]) => ({ name, clock, policy: value }))
  await sync.putAgents(agents.filter(({ name, clock }) => storedAgents.get(name) !== clock))
}

/** The memories of a part as they should be. */
export function viewPart({ state }: Pick<KnownPart, 'state'>): MergedView {
  return viewOf(state, viewRules)
}

/** The text of a memory as its last writer left it; undefined while its save is missing. */
function contentOf({ saved, fields }: KnownMemory): KeyedText | undefined {
  const set = fields.get('content')
  if (!saved) return set && (set.value as KeyedText)
  const first = { clock: saved.clock, value: saved.value.first.content }
  return set && compareWrites(set, first) > 0 ? (set.value as KeyedText) : first.value
}

function rowOf(id: string, known: KnownMemory, text: string): SyncMemoryRow {
  const content = contentOf(known)
  const replaced = (known.fields.get('superseded')?.value ?? known.saved?.value.first.superseded) as {
    by: string
  } | null
  return {
    id,
    hash: content?.text == null ? '' : contentHash(content.text),
    text_key: content?.key ?? '',
    first_key: known.saved?.value.first.content.key ?? '',
    replaced_by: replaced?.by ?? null,
    known: text,
  }
}

function encodeKnown({ saved, fields, holders, hints, forgotten, recovered }: KnownMemory): string {
  return JSON.stringify([saved, [...fields], [...holders], [...hints], forgotten, recovered])
}

export function decodeKnown(text: string): KnownMemory {
  const [saved, fields, holders, hints, forgotten, recovered] = JSON.parse(text) as [
    KnownMemory['saved'] | null,
    [never, never][],
    [never, never][],
    [never, never][],
    Clock | null,
    Clock | null,
  ]
  return {
    saved: saved ?? undefined,
    fields: new Map(fields),
    holders: new Map(holders),
    hints: new Map(hints),
    forgotten: forgotten ?? undefined,
    recovered: recovered ?? undefined,
  }
}

/** Names what records can touch, for {@link loadKnown}. */
export function seedsOf(records: readonly SyncRecord[]): {
  ids: Set<string>
  hashes: Set<string>
  keys: Set<string>
} {
  const seeds = { ids: new Set<string>(), hashes: new Set<string>(), keys: new Set<string>() }
  for (const record of records) {
    if (record.kind === 'agent') continue
    seeds.ids.add(record.id)
    for (const { text, key } of textsOf(record)) {
      seeds.keys.add(key)
      if (text !== null && (record.kind === 'save' || record.kind === 'set'))
        seeds.hashes.add(contentHash(text))
    }
    if (record.kind === 'forget' || record.kind === 'recover' || record.kind === 'purge')
      seeds.keys.add(record.key)
  }
  // Absent: a record of a memory alone, or of a text alone.
  seeds.ids.delete('')
  seeds.keys.delete('')
  return seeds
}
