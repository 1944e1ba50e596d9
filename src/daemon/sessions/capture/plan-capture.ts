import { createHash } from 'node:crypto'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { MessagePrint, TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { continuationOf, overlapOf } from '../transcripts/continuation.js'
import type { CapturedMessage } from '../transcripts/transcript-message.js'

/**
 * How messages relate to the stored ones of their session: none are stored, they continue them, or they
 * replace them.
 */
export type Relation = 'first' | 'goes-on' | 'another'

type PlanDeps = Pick<Daemon, 'store' | 'newId' | 'budget'>

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
  /** The session whose history the messages continue as a fork. */
  forkOf: string | undefined
  added: readonly CapturedMessage[]
  fingerprints: readonly string[]
}

type PlannedSession = Pick<
  CaptureRow,
  'id' | 'agent_id' | 'session_key' | 'project' | 'harness' | 'source' | 'captured_at'
>

/**
 * Compares messages with those stored for the session. The history that a fork has from other sessions is
 * left out, because they keep it (rules.md 4.10).
 * @returns undefined when there is nothing to add.
 */
export async function planCapture(
  deps: PlanDeps,
  {
    capture,
    messages,
    stored,
  }: {
    capture: PlannedSession
    messages: readonly CapturedMessage[]
    stored: TranscriptRow | undefined
  },
): Promise<CapturePlan | undefined> {
  if (messages.length === 0) return undefined
  // A late capture must not replace what a newer one stored.
  if (stored && stored.capture_id > capture.id) return undefined
  const whole = await fingerprintsOf(messages, deps.budget)
  const isComparable = stored?.project === capture.project && stored.harness === capture.harness
  const known = isComparable ? await knownPrints(deps, stored) : []
  const history = known[0] === whole[0] ? noHistory : await copiedHistory(deps, capture, messages, whole)
  const { length: copied, of: forkOf } = history
  const own = messages.slice(copied)
  const incoming = whole.slice(copied)
  if (own.length === 0) return undefined
  const newBody: CapturePlan = {
    relation: stored ? 'another' : 'first',
    isSameBeginning: false,
    bodyId: deps.newId(),
    extended: undefined,
    replaced: stored?.body_id ?? null,
    from: 0,
    forkOf,
    added: own,
    fingerprints: incoming,
  }
  if (!isComparable) return newBody
  if (capture.source === 'file' && beginsDoubled(known, incoming))
    return { ...newBody, isSameBeginning: true }
  const continuation = continuationOf(known, incoming)
  if (continuation.kind === 'same') return undefined
  const isLater = capture.captured_at > stored.captured_at
  if (continuation.kind === 'replaces' && !(isLater && isNextPart(known, incoming, own)))
    return { ...newBody, isSameBeginning: known[0] === incoming[0] }
  const { length } = overlapOf(known, incoming)
  return {
    relation: 'goes-on',
    isSameBeginning: known[0] === incoming[0],
    bodyId: stored.body_id,
    extended: stored,
    replaced: null,
    from: stored.messages,
    forkOf,
    added: own.slice(length),
    fingerprints: incoming.slice(length),
  }
}

async function knownPrints({ store, budget }: PlanDeps, stored: TranscriptRow): Promise<string[]> {
  const known: string[] = []
  for await (const some of store.tables.transcripts.prints(stored)) {
    known.push(...some.map(({ fingerprint }) => fingerprint))
    await budget.breathe()
  }
  return known
}

/** Most sessions whose history is followed: a fork may be forked again. */
const maxForks = 20

/** The first messages that other sessions have too, and the last of these sessions. */
interface CopiedHistory {
  length: number
  of: string | undefined
}

const noHistory: CopiedHistory = { length: 0, of: undefined }

/** Finds the first messages that other sessions have too, with the same times. */
async function copiedHistory(
  deps: PlanDeps,
  { agent_id: agentId, session_key: sessionKey, project, harness }: PlannedSession,
  messages: readonly CapturedMessage[],
  fingerprints: readonly string[],
): Promise<CopiedHistory> {
  const prints = messages.map(({ at }, index) => ({ at, fingerprint: fingerprints[index] as string }))
  let { length, of } = noHistory
  for (let forks = 0; forks < maxForks; forks++) {
    const rest = prints.slice(length)
    if (!rest[0]?.at) break
    const session = { agentId, sessionKey, project, harness }
    const sources = await deps.store.tables.transcripts.beginningWith(rest[0], session)
    const lengths = await Promise.all(sources.map(source => commonLength(deps, source, rest)))
    if (lengths.length === 0) break
    const longest = Math.max(...lengths)
    of = sources[lengths.indexOf(longest)]?.session_key
    length += longest
  }
  return { length, of }
}

/** Counts the first messages that a stored transcript has in common with these, text and time. */
async function commonLength(
  { store, budget }: PlanDeps,
  source: TranscriptRow,
  prints: readonly MessagePrint[],
): Promise<number> {
  let length = 0
  for await (const some of store.tables.transcripts.prints(source)) {
    for (const { fingerprint, at } of some) {
      const own = prints[length]
      if (own?.fingerprint !== fingerprint || own.at !== at || at === null) return length
      length++
    }
    await budget.breathe()
  }
  return length
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
