import type { Chunk } from '../../ground/chunks/transcript-chunks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import type { SafetyReason, SafetyStatus } from '../../safety/rules/rule.js'
import type { SafetyVerdict } from '../../safety/scan.js'

export type JudgedChunk = Chunk & { safety_status: SafetyStatus }

/** UTF-16 units that are judged together as long as nothing is found in them. */
const groupLength = 16_000

/** Verdict on a whole conversation: the worst of its chunks, with the reasons of all. */
export interface Verdict {
  status: SafetyStatus
  reasons: Set<SafetyReason>
}

/**
 * Judges chunks against the content safety policy (rules.md 1.6), so that one bad passage does not hide a whole
 * conversation. What is suspicious only across a cut makes every chunk of its group so.
 */
export async function judgeChunks(
  { budget }: Pick<Daemon, 'budget'>,
  chunks: Iterable<Chunk>,
  verdict: Verdict,
): Promise<JudgedChunk[]> {
  const scan = (text: string) => scanContentInSlices(text, () => budget.breathe())
  const judged: JudgedChunk[] = []
  let group: Chunk[] = []
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
  group: readonly Chunk[],
  verdict: Verdict,
  scan: (text: string) => Promise<SafetyVerdict>,
): Promise<JudgedChunk[]> {
  const whole = await scan(group.map(({ text }) => text).join('\n'))
  if (whole.status === 'clean') return group.map(chunk => ({ ...chunk, safety_status: 'clean' }))
  worsen(verdict, whole)
  const judged: JudgedChunk[] = []
  for (const chunk of group) judged.push({ ...chunk, safety_status: (await scan(chunk.text)).status })
  return judged.some(({ safety_status }) => safety_status !== 'clean')
    ? judged
    : group.map(chunk => ({ ...chunk, safety_status: whole.status }))
}

const statuses: readonly SafetyStatus[] = ['clean', 'tainted', 'blocked']

/** Adds what was found in another part to a verdict. */
export function worsen(
  verdict: Verdict,
  found: { status: SafetyStatus; reasons: Iterable<SafetyReason> },
): void {
  for (const reason of found.reasons) verdict.reasons.add(reason)
  // Two independent suspicions make a certainty.
  verdict.status = verdict.reasons.size > 1 ? 'blocked' : worseOf(verdict.status, found.status)
}

function worseOf(a: SafetyStatus, b: SafetyStatus): SafetyStatus {
  return statuses.indexOf(a) > statuses.indexOf(b) ? a : b
}
