import { createHash } from 'node:crypto'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { continuationOf, overlapOf } from '../transcripts/continuation.js'
import type { CapturedMessage } from '../transcripts/transcript-message.js'

/**
 * How messages relate to the stored ones of their session: none are stored, they continue them, or they
 * replace them.
 */
export type Relation = 'first' | 'goes-on' | 'another'

/** The writes of a capture. */
export interface CapturePlan {
  relation: Relation
  /** True when the stored messages begin with the same one. */
  isSameBeginning: boolean
  bodyId: string
  /** The transcript that this capture continues; undefined when it begins a new body. */
  extended: TranscriptRow | undefined
  /** The body that becomes unreferenced after this capture. */
  replaced: string | null
  /** Position of the first added message. */
  from: number
  added: readonly CapturedMessage[]
  fingerprints: readonly string[]
}

/** Compares messages with those stored for the session. @returns undefined when there is nothing to add. */
export async function planCapture(
  deps: Pick<Daemon, 'store' | 'newId' | 'budget'>,
  {
    capture,
    messages,
    stored,
  }: {
    capture: Pick<CaptureRow, 'id' | 'project' | 'harness' | 'source' | 'captured_at'>
    messages: readonly CapturedMessage[]
    stored: TranscriptRow | undefined
  },
): Promise<CapturePlan | undefined> {
  if (messages.length === 0) return undefined
  // A late capture must not replace what a newer one stored.
  if (stored && stored.capture_id > capture.id) return undefined
  const incoming = await fingerprintsOf(messages, deps.budget)
  const anew: CapturePlan = {
    relation: stored ? 'another' : 'first',
    isSameBeginning: false,
    bodyId: deps.newId(),
    extended: undefined,
    replaced: stored?.body_id ?? null,
    from: 0,
    added: messages,
    fingerprints: incoming,
  }
  if (!stored || stored.project !== capture.project || stored.harness !== capture.harness) return anew
  const known: string[] = []
  for await (const some of deps.store.tables.transcripts.fingerprints(stored)) {
    known.push(...some)
    await deps.budget.breathe()
  }
  if (capture.source === 'file' && beginsDoubled(known, incoming)) return { ...anew, isSameBeginning: true }
  const continuation = continuationOf(known, incoming)
  if (continuation.kind === 'same') return undefined
  const isLater = capture.captured_at > stored.captured_at
  if (continuation.kind === 'replaces' && !(isLater && isNextPart(known, incoming, messages)))
    return { ...anew, isSameBeginning: known[0] === incoming[0] }
  const { length } = overlapOf(known, incoming)
  return {
    relation: 'goes-on',
    isSameBeginning: known[0] === incoming[0],
    bodyId: stored.body_id,
    extended: stored,
    replaced: null,
    from: stored.messages,
    added: messages.slice(length),
    fingerprints: incoming.slice(length),
  }
}

/** Maximum length of common phrases in UTF-16 units. */
const maxPhrase = 40

/**
 * True when messages continue the stored ones, as from harnesses that send each turn: they begin differently
 * and repeat only the stored end, apart from phrases such as "go on". Messages that repeat more are a new
 * copy.
 */
function isNextPart(
  known: readonly string[],
  incoming: readonly string[],
  messages: readonly CapturedMessage[],
): boolean {
  if (incoming[0] === known[0]) return false
  const { length } = overlapOf(known, incoming)
  const stored = new Set(known)
  return !messages.some(
    ({ text }, at) => at >= length && text.length > maxPhrase && stored.has(incoming[at] as string),
  )
}

/**
 * True when the stored messages repeat their first one more often than the file: earlier versions stored text
 * that the harness had sent to the model as messages.
 */
function beginsDoubled(known: readonly string[], incoming: readonly string[]): boolean {
  const [first] = incoming
  const { at, length } = overlapOf(known, incoming)
  return at > 0 && length > 0 && known.slice(0, at).every(print => print === first)
}

/** Fingerprints of role and text, used to compare conversations. */
export async function fingerprintsOf(
  messages: readonly Pick<CapturedMessage, 'role' | 'text'>[],
  budget: LoopBudget,
): Promise<string[]> {
  const prints: string[] = []
  for (const { role, text } of messages) {
    prints.push(createHash('sha256').update(`${role}\0`).update(text).digest('base64url').slice(0, 16))
    await budget.breathe()
  }
  return prints
}
