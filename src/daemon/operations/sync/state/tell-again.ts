import type { Tables } from '../../../../store/tables/tables.js'
import { momentAt } from '../rules/clock.js'
import type { KnownMemory } from '../rules/merge.js'
import type { Changing, SyncRecord } from '../rules/records.js'
import { eventRecord } from './collect.js'
import type { SyncContext } from './context.js'
import { contentOf, decodeKnown, viewRules } from './known.js'

/** Place of the walk through all that is known; absent while there is none. */
const cursorKey = 'telling'
const done = '-'
/** The memory of records that are about a text alone. */
const textId = 'text'

/** Begins to tell all that is known again, for a store that lost segments. */
export async function tellAgain({ sync }: Tables): Promise<void> {
  await sync.set(cursorKey, '')
}

/** Puts the next memories into the outbox, in the caller's transaction. @returns false when none are left */
export async function tellNext(tables: Tables, context: SyncContext, limit: number): Promise<boolean> {
  const { sync } = tables
  const after = await sync.get(cursorKey)
  if (after === undefined || after === done) return false
  const rows = await sync.knownAfter(after, limit)
  const records: SyncRecord[] = after === '' ? await textRecords(tables) : []
  const policies = new Map((await sync.agents()).map(({ name, policy }) => [name, policy]))
  const spaces = new Map<string, string>()
  for (const { id, known } of rows) {
    const memory = decodeKnown(known)
    records.push(...recordsOf(id, memory))
    const holder = memory.saved?.value.holder
    if (holder) spaces.set(id, viewRules.spaceOf(holder, policies.get(holder.agent) ?? null))
  }
  for (const event of await sync.eventsOf([...spaces.keys()], -1)) {
    const clock = momentAt(Date.parse(event.created_at), context.tag)
    const record = eventRecord(context, spaces.get(event.memory_id) ?? '', event)
    records.push({ ...record, clock } as SyncRecord)
  }
  await sync.addToOutbox(records.map(record => JSON.stringify(record)))
  await sync.set(cursorKey, rows.at(-1)?.id ?? done)
  return rows.length > 0
}

function recordsOf(
  id: string,
  { saved, fields, holders, hints, forgotten, recovered }: KnownMemory,
): SyncRecord[] {
  const key = contentOf({ saved, fields } as KnownMemory)?.key ?? ''
  return [
    ...(saved ? [{ kind: 'save' as const, id, clock: saved.clock, saved: saved.value }] : []),
    ...[...fields].map(([field, { clock, value }]) => ({
      ...{ kind: 'set' as const, id, clock, field },
      value: value as Changing[typeof field],
    })),
    ...[...holders.values()].map(({ clock, value }) => ({ kind: 'hold' as const, id, clock, holder: value })),
    ...[...hints.values()].map(({ clock, value }) => ({ kind: 'hint' as const, id, clock, text: value })),
    ...(forgotten === undefined ? [] : [{ kind: 'forget' as const, id, clock: forgotten, key }]),
    ...(recovered === undefined ? [] : [{ kind: 'recover' as const, id, clock: recovered, key }]),
  ]
}

/** Policies, purges, and texts that were forgotten or recovered. */
async function textRecords({ sync }: Tables): Promise<SyncRecord[]> {
  const records: SyncRecord[] = (await sync.agents()).map(({ name, clock, policy }) => ({
    ...{ kind: 'agent' as const, name, clock, policy },
  }))
  for (const { id, clock } of await sync.allPurged()) records.push({ kind: 'purge', id, clock, key: '' })
  for (const { key, forgotten, recovered, purged } of await sync.allTexts()) {
    if (forgotten !== null) records.push({ kind: 'forget', id: textId, clock: forgotten, key })
    if (recovered !== null) records.push({ kind: 'recover', id: textId, clock: recovered, key })
    if (purged !== null) records.push({ kind: 'purge', id: textId, clock: purged, key })
  }
  return records
}
