import type { TranscriptChunk } from '../../ground/chunks/transcript-chunks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import type { SafetyReason, SafetyStatus } from '../../safety/rules/rule.js'
import type { SafetyVerdict } from '../../safety/scan.js'

export type JudgedChunk = TranscriptChunk & { safety_status: SafetyStatus }

/** UTF-16 units scanned together while nothing is found in them. */
const groupLength = 16_000

/** Verdict on a whole conversation: the worst of its chunks, with the reasons of all. */
export interface Verdict {
  status: SafetyStatus
  reasons: Set<SafetyReason>
}

/**
 * Judges chunks against the content safety policy (rules.md 1.6), so that one bad passage does not hide a
 * whole conversation. If only a whole group is suspicious, every chunk of the group gets its status.
 */
export async function judgeChunks(
  { budget }: Pick<Daemon, 'budget'>,
  chunks: Iterable<TranscriptChunk>,
  verdict: Verdict,
): Promise<JudgedChunk[]> {
  const scan = (text: string) => scanContentInSlices(text, () => budget.breathe())
  const judged: JudgedChunk[] = []
  let group: TranscriptChunk[] = []
  let length = 0
  const flush = async (): Promise<void> => {
    if (group.length > 0) for (const chunk of await judgeGroup(group, verdict, scan)) judged.push(chunk)
    group = []
    length = 0
  }
  for (const chunk of chunks) {
    group.push(chunk)
    length += chunk.text.length
    if (length >= groupLength) await flush()
  }
  await flush()
  return judged
}

async function judgeGroup(
  group: readonly TranscriptChunk[],
  verdict: Verdict,
  scan: (text: string) => Promise<SafetyVerdict>,
): Promise<JudgedChunk[]> {
  const whole = await scan(group.map(({ text }) => text).join('\n'))
  if (whole.status === 'clean') return group.map(chunk => ({ ...chunk, safety_status: 'clean' }))
  mergeVerdict(verdict, whole)
  const judged: JudgedChunk[] = []
  for (const chunk of group) judged.push({ ...chunk, safety_status: (await scan(chunk.text)).status })
  return judged.some(({ safety_status }) => safety_status !== 'clean')
    ? judged
    : group.map(chunk => ({ ...chunk, safety_status: whole.status }))
}

const statuses: readonly SafetyStatus[] = ['clean', 'tainted', 'blocked']

/** Merges the verdict on another part. */
export function mergeVerdict(
  verdict: Verdict,
  found: { status: SafetyStatus; reasons: Iterable<SafetyReason> },
): void {
  for (const reason of found.reasons) verdict.reasons.add(reason)
  // Two independent reasons for suspicion are certain enough to block.
  verdict.status = verdict.reasons.size > 1 ? 'blocked' : worseOf(verdict.status, found.status)
}

function worseOf(a: SafetyStatus, b: SafetyStatus): SafetyStatus {
  return statuses.indexOf(a) > statuses.indexOf(b) ? a : b
}
