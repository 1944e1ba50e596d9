import type { RepairReply } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import { analysisVersion } from '../../../store/index/words/analysis/analyzer.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Run } from './run/run-repair.js'

/** Rows that are compared in one go. */
const pageSize = 200
/** So many single rows are mended in place; with more of them the index is filled anew. */
const maxSingle = 2000
const shownIds = 10

/** What the index holds beside what the memories say. */
interface Comparison {
  memories: number
  entries: number
  missing: string[]
  stale: string[]
  drifted: string[]
  strays: string[]
  /** Entries of rows that are not in the database at all. */
  extra: number
}

type Deps = Pick<Daemon, 'store' | 'index'>

/**
 * Compares the keyword index with the memories: what it lacks, what it holds as it was before, what it must not hold, and
 * what it holds by other words than the text gives now (another tokenizer). With `repair` single rows are put right in
 * place; where the tokenizer is another, or rows stand there that nobody knows, the index is filled anew.
 */
export async function checkIndex(
  daemon: Deps,
  { action, signal }: Run,
  repair: boolean,
): Promise<RepairReply> {
  const { state } = await daemon.index.stats()
  if (state === 'rebuilding') {
    const message = 'the index is being filled: ask again when memory status calls it ready'
    return { action, success: false, affected: 0, message, details: { state } }
  }
  const found = await compare(daemon, signal)
  const faults = faultsOf(found)
  if (faults === 0 || !repair || signal.aborted)
    return told(action, found, { repaired: 'none', faults, left: faults })
  const isWhole = found.extra > 0 || found.drifted.length > 0 || faults > maxSingle
  if (isWhole) await daemon.index.rebuild()
  else await mend(daemon, found)
  const after = await compare(daemon, signal)
  return told(action, after, { repaired: isWhole ? 'rebuilt' : 'rows', faults, left: faultsOf(after) })
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
  // What was written while this went on may have reached the index since.
  const confirmed = await lookAgain({ store, index }, suspects)
  const { entries } = await index.stats()
  const memories = await store.tables.memories.countAlive()
  const held = memories - confirmed.missing.length + confirmed.strays.length
  return { ...confirmed, memories, entries, extra: signal.aborted ? 0 : Math.max(0, entries - held) }
}

const kinds = ['missing', 'stale', 'drifted', 'strays'] as const
type Suspects = Pick<Comparison, (typeof kinds)[number]>

async function lookAgain({ store, index }: Deps, suspects: Suspects): Promise<Suspects> {
  const confirmed: Suspects = { missing: [], stale: [], drifted: [], strays: [] }
  const all = kinds.flatMap(kind => suspects[kind])
  // So many at once are no accident of a moment.
  if (all.length === 0 || all.length > maxSingle) return suspects
  await index.settled()
  for (const { id, change } of await store.tables.memories.load(all)) {
    const again = await index.check(change - 1, 1)
    for (const kind of kinds) if (again[kind].includes(id)) confirmed[kind].push(id)
  }
  return confirmed
}

async function mend({ store, index }: Deps, { missing, stale, strays }: Comparison): Promise<void> {
  const rows = await store.tables.memories.load([...missing, ...stale, ...strays])
  for (const row of rows) {
    if (isHidden(row)) index.remove(row.id)
    else await index.restore(row)
  }
  await index.settled()
}

function faultsOf({ extra, ...found }: Comparison): number {
  return kinds.reduce((sum, kind) => sum + found[kind].length, extra)
}

function told(
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
  if (faults === 0) return `the index holds ${countOf(memories, 'memory', 'memories')} as they are`
  const what = countOf(faults, 'entry', 'entries')
  if (repaired === 'none') return `${what} of the index are not as they should be; repair mends them`
  const how = repaired === 'rebuilt' ? 'the index was filled anew' : `${what} were put right`
  return left === 0 ? how : `${how}, and ${left} are still not as they should be`
}
