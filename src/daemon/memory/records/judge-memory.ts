import type { NewMemory } from '../../../store/tables/memory/memories.js'
import { policyVersion, scanTextsInSlices } from '../../ground/safety/scan.js'

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

type Verdict = Pick<
  NewMemory,
  'safety_status' | 'safety_reasons' | 'safety_rules' | 'safety_policy' | 'safety_scanned_at'
>

/**
 * Judges a memory whole against the content safety policy (spec 1, 1.6): its author, tags, places and hints reach
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
): Promise<Verdict> {
  // Apart from the content: talk about attacks there excuses nothing here. The labels are short: one scan for all.
  const said = [...labels.map(label => memory[label]), ...hints].filter(Boolean).join('\n\n')
  const { status, reasons, rules } = await scanTextsInSlices([memory.content, said], breathe)
  return {
    safety_status: status,
    safety_reasons: reasons.join(','),
    safety_rules: rules.join(','),
    safety_policy: policyVersion,
    safety_scanned_at: now,
  }
}
