import { isAscii } from '../../../lib/text/is-ascii.js'
import { wholeUuid } from '../../../lib/text/uuid.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import { scanTextsInSlices } from '../../safety/late-scan.js'
import type { SafetyVerdict } from '../../safety/scan.js'
import { type VerdictColumns, verdictColumns } from '../../safety/verdict-columns.js'

/** What a memory holds that may enter a context: its content, and whatever is told of it. */
const labels = [
  'id',
  'tags',
  'who',
  'project',
  'scope',
  'source_type',
  'source_id',
  'source_path',
  'runtime_path',
  'session_id',
  'agent_id',
] as const
/** The columns of a verdict on a memory. */
export type JudgedColumns = VerdictColumns & Pick<MemoryRow, 'safety_rules'>

type ScannedMemory = Pick<NewMemory, 'content' | (typeof labels)[number]>

/**
 * Judges a memory whole against the content safety policy (rules.md 1.6): its author, tags, places and hints reach
 * agents as its content does, so that its verdict covers them.
 *
 * @param now ISO 8601. @param breathe as of `scanTextsInSlices`
 * @returns the columns of the verdict.
 */
export async function judgeMemory(
  memory: ScannedMemory,
  hints: readonly string[],
  now: string,
  breathe?: () => Promise<void> | undefined,
): Promise<JudgedColumns> {
  return columnsOf(await scanTextsInSlices([memory.content, saidOf(memory, hints)], breathe), now)
}

/** Labels that are known to be clean at most: those of a few sessions. */
const maxClean = 1000

/**
 * Judges memories that have most labels in common, as the chunks of a document or the memories of a session do: labels
 * that were clean once are not read again. The verdicts are those of {@link judgeMemory}.
 */
export function judgeAlike(): typeof judgeMemory {
  const clean = new Set<string>()
  return async (memory, hints, now, breathe) => {
    const said = saidOf(memory, hints)
    // Characters that are not drawn would count together with those of the content.
    if (!isAscii(said)) return judgeMemory(memory, hints, now, breathe)
    if (!clean.has(said)) {
      const { status } = await scanTextsInSlices([said], breathe)
      if (status !== 'clean') return judgeMemory(memory, hints, now, breathe)
      if (clean.size >= maxClean) clean.clear()
      clean.add(said)
    }
    return columnsOf(await scanTextsInSlices([memory.content], breathe), now)
  }
}

/** Apart from the content: talk about attacks there excuses nothing here. The labels are short: one scan for all. */
function saidOf(memory: ScannedMemory, hints: readonly string[]): string {
  const said: string[] = []
  // What most ids are is a number that says nothing.
  for (const label of labels) {
    const value = memory[label]
    if (value && !wholeUuid.test(value)) said.push(value)
  }
  if (hints.length > 0) said.push(...hints)
  return said.join('\n\n')
}

function columnsOf(verdict: SafetyVerdict, now: string): JudgedColumns {
  const { safety_status, safety_reasons, safety_policy, safety_scanned_at } = verdictColumns(verdict, now)
  // Said one by one: what goes on after a spread takes a save's hundredth.
  return {
    safety_status,
    safety_reasons,
    safety_policy,
    safety_scanned_at,
    safety_rules: verdict.rules.join(','),
  }
}
