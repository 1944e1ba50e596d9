import { isAscii } from '../../../lib/text/is-ascii.js'
import { wholeUuid } from '../../../lib/text/uuid.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import { scanTextsInSlices } from '../../safety/late-scan.js'
import type { SafetyVerdict } from '../../safety/scan.js'
import { type VerdictColumns, verdictColumns } from '../../safety/verdict-columns.js'

/** Fields of a memory that may enter a context besides its content. */
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
/** Verdict columns of a memory. */
export type JudgedColumns = VerdictColumns & Pick<MemoryRow, 'safety_rules'>

type ScannedMemory = Pick<NewMemory, 'content' | (typeof labels)[number]>

/**
 * Judges a whole memory against the content safety policy (rules.md 1.6): author, tags, places and hints
 * reach agents like the content, so the verdict covers them.
 * @param now ISO 8601. @param breathe as in `scanTextsInSlices`
 * @returns the verdict columns.
 */
export async function judgeMemory(
  memory: ScannedMemory,
  hints: readonly string[],
  now: string,
  breathe?: () => Promise<void> | undefined,
): Promise<JudgedColumns> {
  return columnsOf(await scanTextsInSlices([memory.content, joinLabels(memory, hints)], breathe), now)
}

/** Maximum cached clean label sets, enough for a few sessions. */
const maxClean = 1000

/**
 * Judges memories that share most labels, such as chunks of a document or memories of a session, without
 * rescanning clean labels. The verdicts equal those of {@link judgeMemory}.
 */
export function createSimilarJudge(): typeof judgeMemory {
  const clean = new Set<string>()
  return async (memory, hints, now, breathe) => {
    const said = joinLabels(memory, hints)
    // Invisible characters would be counted together with those of the content.
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

/** Joins the labels for one scan, separate from the content, whose context must not excuse them. */
function joinLabels(memory: ScannedMemory, hints: readonly string[]): string {
  const said: string[] = []
  // Most ids are UUIDs, which need no scan.
  for (const label of labels) {
    const value = memory[label]
    if (value && !wholeUuid.test(value)) said.push(value)
  }
  if (hints.length > 0) said.push(...hints)
  return said.join('\n\n')
}

function columnsOf(verdict: SafetyVerdict, now: string): JudgedColumns {
  const { safety_status, safety_reasons, safety_policy, safety_scanned_at } = verdictColumns(verdict, now)
  // Spelled out: continuing after a spread costs a hundredth of a save.
  return {
    safety_status,
    safety_reasons,
    safety_policy,
    safety_scanned_at,
    safety_rules: verdict.rules.join(','),
  }
}
