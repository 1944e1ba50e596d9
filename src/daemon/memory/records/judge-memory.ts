import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import { scanTextsInSlices } from '../../ground/safety/scan.js'
import { type VerdictColumns, verdictColumns } from '../../ground/safety/verdict-columns.js'

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
export type JudgedMemory = Pick<NewMemory, 'content' | (typeof labels)[number]>

/**
 * Judges a memory whole against the content safety policy (rules.md 1.6): its author, tags, places and hints reach
 * agents as its content does, so that its verdict covers them.
 *
 * @param now ISO 8601. @param breathe as of `scanTextsInSlices`
 * @returns the columns of the verdict.
 */
export async function judgeMemory(
  memory: JudgedMemory,
  hints: readonly string[],
  now: string,
  breathe?: () => Promise<void> | undefined,
): Promise<VerdictColumns & Pick<MemoryRow, 'safety_rules'>> {
  // Apart from the content: talk about attacks there excuses nothing here. The labels are short: one scan for all.
  const said = [...labels.map(label => memory[label]), ...hints].filter(Boolean).join('\n\n')
  const verdict = await scanTextsInSlices([memory.content, said], breathe)
  return { ...verdictColumns(verdict, now), safety_rules: verdict.rules.join(',') }
}
