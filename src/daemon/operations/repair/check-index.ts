import type { RepairReply } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import { analysisVersion } from '../../../store/index/words/analysis/analyzer.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { RepairRun } from './run/run-repair.js'

/** Rows compared per batch. */
const pageSize = 200
/** Up to this many faulty rows are repaired one by one; with more the index is rebuilt. */
const maxSingle = 2000
const shownIds = 10
/** A row that is written more often than this during the check is left to the next one. */
const confirmRounds = 10

/** Differences between the index and the stored memories. */
interface Comparison {
  memories: number
  entries: number
  missing: string[]
  stale: string[]
  drifted: string[]
  strays: string[]
  /** Entries whose row is not in the database at all. */
  extra: number
}

type Deps = Pick<Daemon, 'store' | 'index'>

/**
 * Compares the keyword index with the memories: missing, outdated and forbidden entries, and entries whose
 * words the current tokenizer would split differently. With `repair` single rows are repaired in place; a
 * changed tokenizer or unknown rows rebuild the index.
 */
export async function checkIndex(
  daemon: Deps,
  { action, signal }: RepairRun,
  repair: boolean,
): Promise<RepairReply> {
  const { state } = await daemon.index.stats()
  if (state === 'rebuilding') {
    const message = 'the index is being rebuilt: try again when memory status shows it as ready'
    return { action, success: false, affected: 0, message, details: { state } }
  }
  const found = await compare(daemon, signal)
  const faults = faultsOf(found)
  if (faults === 0 || !repair || signal.aborted)
    return checkReply(action, found, { repaired: 'none', faults, left: faults })
  const isWhole = found.extra > 0 || found.drifted.length > 0 || faults > maxSingle
  if (isWhole) await daemon.index.rebuild()
  else await repairRows(daemon, found)
  const after = await compare(daemon, signal)
  return checkReply(action, after, { repaired: isWhole ? 'rebuilt' : 'rows', faults, left: faultsOf(after) })
}

async function compare({ store, index }: Deps, signal: AbortSignal): Promise<Comparison> {
  const total = { rows: 0, missing: [], stale: [], drifted: [], strays: [] } as Omit<
    Comparison,
    'memories' | 'entries' | 'extra'
  > & { rows: number }
  let after: number | undefined = 0
  while (after !== undefined && !signal.aborted) {
    const page = await index.check(after, pageSize)
    total.rows += page.rows
    for (const kind of kinds) total[kind].push(...page[kind])
    after = page.next
  }
  const { rows, ...suspects } = total
  // Rows written during the comparison may have reached the index since.
  const confirmed = await confirmSuspects({ store, index }, suspects)
  const { entries } = await index.stats()
  const memories = await store.tables.memories.countAlive()
  const held = memories - confirmed.missing.length + confirmed.strays.length
  return { ...confirmed, memories, entries, extra: signal.aborted ? 0 : Math.max(0, entries - held) }
}

const kinds = ['missing', 'stale', 'drifted', 'strays'] as const
type Suspects = Pick<Comparison, (typeof kinds)[number]>

/** Asks again for each suspect row. One that was written in between is loaded and asked for again. */
async function confirmSuspects({ store, index }: Deps, suspects: Suspects): Promise<Suspects> {
  const confirmed: Suspects = { missing: [], stale: [], drifted: [], strays: [] }
  let open = kinds.flatMap(kind => suspects[kind])
  // This many at once are not a temporary delay.
  if (open.length === 0 || open.length > maxSingle) return suspects
  await index.settled()
  for (let round = 0; open.length > 0 && round < confirmRounds; round++) {
    const written: string[] = []
    for (const { id, change } of await store.tables.memories.load(open)) {
      const again = await index.check(change - 1, 1)
      if (again.next !== change) written.push(id)
      else for (const kind of kinds) if (again[kind].includes(id)) confirmed[kind].push(id)
    }
    open = written
  }
  return confirmed
}

async function repairRows({ store, index }: Deps, { missing, stale, strays }: Comparison): Promise<void> {
  const rows = await store.tables.memories.load([...missing, ...stale, ...strays])
  for (const row of rows) {
    if (isHidden(row)) index.remove(row.id)
    else await index.apply([row])
  }
  await index.settled()
}

function faultsOf({ extra, ...found }: Comparison): number {
  return kinds.reduce((sum, kind) => sum + found[kind].length, extra)
}

function checkReply(
  action: string,
  found: Comparison,
  { repaired, faults, left }: { repaired: 'none' | 'rows' | 'rebuilt'; faults: number; left: number },
): RepairReply {
  const { memories, entries, extra } = found
  const counts = Object.fromEntries(kinds.map(kind => [kind, found[kind].length]))
  const samples = Object.fromEntries(kinds.map(kind => [kind, found[kind].slice(0, shownIds)]))
  const isConsistent = left === 0
  return {
    action,
    success: isConsistent,
    affected: faults,
    message: messageOf({ repaired, faults, left, memories }),
    details: {
      consistent: isConsistent,
      repaired,
      memories,
      entries,
      ...counts,
      extra,
      tokenizer: { version: analysisVersion, drift: found.drifted.length > 0 },
      samples,
    },
  }
}

function messageOf({
  repaired,
  faults,
  left,
  memories,
}: {
  repaired: 'none' | 'rows' | 'rebuilt'
  faults: number
  left: number
  memories: number
}): string {
  if (faults === 0) return `the index matches ${countOf(memories, 'memory', 'memories')}`
  const what = countOf(faults, 'faulty index entry', 'faulty index entries')
  if (repaired === 'none') return `${what}; run it with repair to fix them`
  const how = repaired === 'rebuilt' ? 'index rebuilt' : `${what} repaired`
  return left === 0 ? how : `${how}, ${left} still faulty`
}
