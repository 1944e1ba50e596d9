import type { NewHistoryRow } from '../../../../store/tables/memory/history.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { HybridClock } from '../rules/clock.js'
import { merge } from '../rules/merge.js'
import type { RecordOf, SyncRecord } from '../rules/records.js'
import { eventRecord } from './collect.js'
import { clockIn, keyedText, type SyncContext, type SyncDeps, stateKeys } from './context.js'
import { type KnownPart, loadKnown, saveKnown, seedsOf, viewRules } from './known.js'
import { type Settled, settle } from './settle.js'

/**
 * Adds what another device told, in the caller's transaction, which must have collected all local changes.
 * Records that are known already change nothing.
 */
export async function applyRecords(
  deps: Pick<SyncDeps, 'clock' | 'newId'>,
  tables: Tables,
  context: SyncContext,
  records: readonly SyncRecord[],
): Promise<Settled> {
  const clock = await clockIn(tables, context)
  const part = await loadKnown(tables, seedsOf(records))
  const agents = new Map([...part.state.agents].map(([name, { value }]) => [name, value]))
  for (const record of records) {
    merge(part.state, record)
    clock.accept(record.clock)
  }
  await setPolicies(deps, tables, part, agents)
  await saveKnown(tables, part)
  const settled = await settle(deps, tables, part)
  await tellJoined(tables, context, { part, settled, clock })
  await insertEvents(tables, part)
  await blankPurged(tables, context, part, records)
  await noteApplied(tables, clock.next(0))
  return settled
}

/** Tells the events of memories that became one here, before they count as collected. */
async function tellJoined(
  tables: Tables,
  context: SyncContext,
  { part, settled, clock }: { part: KnownPart; settled: Settled; clock: HybridClock },
): Promise<void> {
  const after = Number((await tables.sync.get(stateKeys.collected)) ?? 0)
  const ids = [...settled.gone].filter(id => !part.state.purgedIds.has(id))
  const events = await tables.sync.eventsOf(ids, after)
  const records = events.map(event => ({
    ...eventRecord(context, '', event),
    clock: clock.next(Date.parse(event.created_at)),
  }))
  await tables.sync.addToOutbox(records.map(record => JSON.stringify(record)))
}

/** All that was written until now came from records, so it is not collected. */
export async function noteApplied(tables: Tables, moment: string): Promise<void> {
  await tables.sync.set(stateKeys.collected, String(await tables.meta.lastChange()))
  await tables.sync.set(stateKeys.clock, moment)
}

async function setPolicies(
  { clock }: Pick<SyncDeps, 'clock'>,
  { agents }: Tables,
  { state }: KnownPart,
  before: ReadonlyMap<string, string | null>,
): Promise<void> {
  const now = clock().toISOString()
  for (const [name, { value }] of state.agents) {
    if (value === null || before.get(name) === value) continue
    const [read_policy, policy_group] = JSON.parse(value) as [string, string | null]
    await agents.register(name, now)
    await agents.setPolicy(name, { read_policy, policy_group }, now)
  }
}

async function insertEvents(tables: Tables, { state }: KnownPart): Promise<void> {
  const events = [...state.events.values()].sort((a, b) => (a.clock < b.clock ? -1 : 1))
  if (events.length === 0) return
  const first = await tables.meta.nextChanges(events.length)
  await tables.history.appendTold(events.map((event, at) => eventRow(event, first + at)))
}

function eventRow(
  { id, eventId, event, before, after }: Omit<RecordOf<'event'>, 'kind'>,
  change: number,
): NewHistoryRow {
  const told = JSON.parse(event) as Omit<
    NewHistoryRow,
    'id' | 'memory_id' | 'old_content' | 'new_content' | 'change'
  >
  return {
    ...{ id: eventId, memory_id: id, event: told.event },
    ...{ old_content: before?.text ?? null, new_content: after?.text ?? null },
    ...{ changed_by: told.changed_by, actor_type: told.actor_type, reason: told.reason },
    ...{ metadata: told.metadata, session_id: told.session_id, request_id: told.request_id },
    ...{ created_at: told.created_at, change },
  }
}

/** Removes purged texts from the history of memories that had them. */
async function blankPurged(
  tables: Tables,
  context: SyncContext,
  { state }: KnownPart,
  records: readonly SyncRecord[],
): Promise<void> {
  const keys = new Set(records.flatMap(record => (record.kind === 'purge' ? record.key : [])))
  keys.delete('')
  if (keys.size === 0) return
  const spaces = new Map(
    [...state.memories].map(([id, { saved }]) => {
      const holder = saved?.value.holder
      return [id, holder ? viewRules.spaceOf(holder, state.agents.get(holder.agent)?.value ?? null) : '']
    }),
  )
  const left = (space: string, text: string | null): string | null =>
    text !== null && keys.has(keyedText(context, space, text).key) ? null : text
  for (const event of await tables.sync.eventsOf([...spaces.keys()], -1)) {
    const space = spaces.get(event.memory_id) ?? ''
    const texts = {
      old_content: left(space, event.old_content),
      new_content: left(space, event.new_content),
    }
    if (texts.old_content !== event.old_content || texts.new_content !== event.new_content)
      await tables.sync.setEventTexts(event, texts)
  }
}
