import { createHash } from 'node:crypto'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { continuationOf, overlapOf } from '../transcripts/continuation.js'
import type { KeptMessage } from '../transcripts/transcript-message.js'

/** How what was said relates to what is stored of its session: nothing is, it goes on after that, or it is told anew. */
export type Relation = 'first' | 'goes-on' | 'another'

/** What a capture is about to write. */
export interface CapturePlan {
  relation: Relation
  /** What is stored begins with the same message. */
  isSameBeginning: boolean
  bodyId: string
  /** The transcript that this capture goes on with; undefined when it begins a body of its own. */
  extended: TranscriptRow | undefined
  /** The body that nothing refers to after this capture. */
  replaced: string | null
  /** Position of the first added message. */
  from: number
  added: readonly KeptMessage[]
  fingerprints: readonly string[]
}

/** Compares what was said with what is stored of the session. @returns undefined when there is nothing to add. */
export async function planCapture(
  deps: Pick<Daemon, 'store' | 'newId' | 'budget'>,
  {
    capture,
    messages,
    stored,
  }: {
    capture: Pick<CaptureRow, 'id' | 'project' | 'harness' | 'source' | 'captured_at'>
    messages: readonly KeptMessage[]
    stored: TranscriptRow | undefined
  },
): Promise<CapturePlan | undefined> {
  if (messages.length === 0) return undefined
  // A receipt that is worked on late must not replace what a newer one stored.
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

/** Words that come back in every conversation are no longer than this, in UTF-16 units. */
const maxPhrase = 40

/**
 * Whether a conversation only goes on after what is stored, as harnesses tell that hand over turn by turn: it begins
 * otherwise, and apart from phrases such as "go on" it has nothing of it but its end. One that has more was told anew.
 */
function isNextPart(
  known: readonly string[],
  incoming: readonly string[],
  messages: readonly KeptMessage[],
): boolean {
  if (incoming[0] === known[0]) return false
  const { length } = overlapOf(known, incoming)
  const stored = new Set(known)
  return !messages.some(
    ({ text }, at) => at >= length && text.length > maxPhrase && stored.has(incoming[at] as string),
  )
}

/**
 * Whether what is stored begins with its first message more often than the file does that it was read from: earlier
 * versions took what the harness had sent to the model for what was said.
 */
function beginsDoubled(known: readonly string[], incoming: readonly string[]): boolean {
  const [first] = incoming
  const { at, length } = overlapOf(known, incoming)
  return at > 0 && length > 0 && known.slice(0, at).every(print => print === first)
}

/** By role and text; by them conversations are compared. */
export async function fingerprintsOf(
  messages: readonly Pick<KeptMessage, 'role' | 'text'>[],
  budget: LoopBudget,
): Promise<string[]> {
  const prints: string[] = []
  for (const { role, text } of messages) {
    prints.push(createHash('sha256').update(`${role}\0`).update(text).digest('base64url').slice(0, 16))
    await budget.breathe()
  }
  return prints
}
