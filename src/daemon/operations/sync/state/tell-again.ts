import type { Tables } from '../../../../store/tables/tables.js'
import { momentAt } from '../rules/clock.js'
import type { SyncRecord } from '../rules/records.js'
import { recordOfPurge, recordsOfMemory, recordsOfText } from '../rules/retell.js'
import { eventRecord } from './collect.js'
import type { SyncContext } from './context.js'
import { decodeKnown, viewRules } from './known.js'

/** Place of the walk through all that is known; absent while there is none. */
const cursorKey = 'telling'
const done = '-'

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
