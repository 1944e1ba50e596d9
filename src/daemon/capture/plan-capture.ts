import { createHash } from 'node:crypto'
import type { LoopBudget } from '../../store/index/loop-budget.js'
import type { CaptureRow } from '../../store/tables/transcript-captures.js'
import type { TranscriptRow } from '../../store/tables/transcripts.js'
import type { Daemon } from '../daemon.js'
import { continuationOf } from './continuation.js'
import type { TranscriptMessage } from './transcript-message.js'

/** What a capture is about to write. */
export interface CapturePlan {
  bodyId: string
  /** The transcript that this capture goes on with; undefined when it begins a body of its own. */
  extended: TranscriptRow | undefined
  /** A body that nothing shows any more afterwards. */
  replaced: string | null
  /** Position of the first added message. */
  from: number
  added: readonly TranscriptMessage[]
  fingerprints: readonly string[]
}

/** Compares what was said with what is stored of the session. @returns undefined when there is nothing to add. */
export async function planCapture(
  deps: Pick<Daemon, 'store' | 'newId' | 'budget'>,
  {
    capture,
    messages,
    stored,
  }: { capture: CaptureRow; messages: TranscriptMessage[]; stored: TranscriptRow | undefined },
): Promise<CapturePlan | undefined> {
  if (messages.length === 0) return undefined
  // An older receipt that is worked on late must not undo a newer one.
  if (stored && stored.capture_id > capture.id) return undefined
  const incoming = await fingerprintsOf(messages, deps.budget)
  const anew: CapturePlan = {
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
  const continuation = continuationOf(known, incoming)
  if (continuation.kind === 'same') return undefined
  if (continuation.kind === 'replaces') return anew
  return {
    bodyId: stored.body_id,
    extended: stored,
    replaced: null,
    from: stored.messages,
    added: messages.slice(continuation.from),
    fingerprints: incoming.slice(continuation.from),
  }
}

async function fingerprintsOf(messages: readonly TranscriptMessage[], budget: LoopBudget): Promise<string[]> {
  const prints: string[] = []
  for (const { role, text } of messages) {
    prints.push(createHash('sha256').update(`${role}\0`).update(text).digest('base64url').slice(0, 16))
    await budget.breathe()
  }
  return prints
}
