import type { Tables } from '../../../../store/tables/tables.js'
import { type Clock, momentAt } from '../rules/clock.js'
import type { KnownMemory } from '../rules/merge.js'
import type { Changing, SyncRecord } from '../rules/records.js'
import { eventRecord } from './collect.js'
import type { SyncContext } from './context.js'
import { decodeKnown, viewRules } from './known.js'

/** Place of the walk through all that is known; absent while there is none. */
const cursorKey = 'telling'
const done = '-'

/** The moments at which a text was forgotten, recovered or purged. */
export interface TextMoments {
  key: string
  forgotten: Clock | null
  recovered: Clock | null
  purged: Clock | null
}

/** Begins to tell all that is known again, for a store that lost segments. */
export async function tellAgain({ sync }: Tables): Promise<void> {
  await sync.set(cursorKey, '')
}

/** Puts the next memories into the outbox, in the caller's transaction. @returns false when none are left */
export async function tellNext(tables: Tables, context: SyncContext, limit: number): Promise<boolean> {
  const after = await tables.sync.get(cursorKey)
  if (after === undefined || after === done) return false
  const { records, last } = await knownRecords(tables, context, { after, limit })
  await tables.sync.addToOutbox(records.map(record => JSON.stringify(record)))
  await tables.sync.set(cursorKey, last ?? done)
  return last !== undefined
}

/**
 * Returns the next known memories as records, in the order of their ids; before the first one also policies,
 * purges and texts. @returns `last` undefined when none are left
 */
export async function knownRecords(
  tables: Tables,
  context: SyncContext,
  { after, limit }: { after: string; limit: number },
): Promise<{ records: SyncRecord[]; last: string | undefined }> {
  const { sync } = tables
  const rows = await sync.knownAfter(after, limit)
  const agents = await sync.agents()
  const records: SyncRecord[] = after === '' ? await textRecords(tables) : []
  if (after === '')
    for (const { name, clock, policy } of agents) records.push({ kind: 'agent', name, clock, policy })
  const policies = new Map(agents.map(({ name, policy }) => [name, policy]))
  const spaces = new Map<string, string>()
  for (const { id, known } of rows) {
    const memory = decodeKnown(known)
    records.push(...recordsOfMemory(id, memory))
    const holder = memory.saved?.value.holder
    if (holder) spaces.set(id, viewRules.spaceOf(holder, policies.get(holder.agent) ?? null))
  }
  for (const event of await sync.eventsOf(
    rows.map(({ id }) => id),
    -1,
  )) {
    const clock = momentAt(Date.parse(event.created_at), context.tag)
    const record = eventRecord(context, spaces.get(event.memory_id) ?? '', event)
    records.push({ ...record, clock } as SyncRecord)
  }
  return { records, last: rows.at(-1)?.id }
}

/** Purges, and texts that were forgotten or recovered. */
async function textRecords({ sync }: Tables): Promise<SyncRecord[]> {
  const purged = await sync.allPurged()
  const texts = await sync.allTexts()
  return [...purged.map(recordOfPurge), ...texts.flatMap(recordsOfText)]
}

/** Everything that is known of a memory as records, which make the same state wherever they are added. */
export function recordsOfMemory(
  id: string,
  { saved, fields, holders, hints, forgotten, recovered }: KnownMemory,
): SyncRecord[] {
  return [
    ...(saved ? [{ kind: 'save' as const, id, clock: saved.clock, saved: saved.value }] : []),
    ...[...fields].map(([field, { clock, value }]) => ({
      ...{ kind: 'set' as const, id, clock, field },
      value: value as Changing[typeof field],
    })),
    ...[...holders.values()].map(({ clock, value }) => ({ kind: 'hold' as const, id, clock, holder: value })),
    ...[...hints.values()].map(({ clock, value }) => ({ kind: 'hint' as const, id, clock, text: value })),
    // Records of the text alone tell the rest: it may have another text now.
    ...(forgotten === undefined ? [] : [{ kind: 'forget' as const, id, clock: forgotten, key: '' }]),
    ...(recovered === undefined ? [] : [{ kind: 'recover' as const, id, clock: recovered, key: '' }]),
  ]
}

/** Everything that is known of a text as records. */
export function recordsOfText({ key, forgotten, recovered, purged }: TextMoments): SyncRecord[] {
  const moments = { forget: forgotten, recover: recovered, purge: purged } as const
  return (['forget', 'recover', 'purge'] as const).flatMap(kind => {
    const clock = moments[kind]
    return clock === null ? [] : [{ kind, id: '', clock, key }]
  })
}

/** A purged memory as a record, without its texts. */
export function recordOfPurge({ id, clock }: { id: string; clock: Clock }): SyncRecord {
  return { kind: 'purge', id, clock, key: '' }
}
