import { createHash } from 'node:crypto'
import { type RejectionReason, rejectionReasons } from '../../../../contract/knowledge/imports.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import type { FingerprintRow } from '../../../../store/tables/knowledge/import-records.js'
import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import { withoutPrivate } from '../../../ground/text/private-spans.js'
import { withoutRecalled } from '../../../ground/text/recalled-spans.js'
import { type CapturePlan, fingerprintsOf, planCapture } from '../../../sessions/capture/plan-capture.js'
import { projectSaid } from '../../../sessions/tracker/project-of.js'
import type { Adapter, Conversation, ImportedMessage } from '../forms/adapter.js'
import type { ReadRecord } from './batches.js'
import type { Lease, WorkDeps } from './lease.js'

/** A record that is to be imported. */
export interface Accepted {
  line: number
  identity: string
  contentHash: string
  /**
   * By which captures of the session are older or newer. A log was read when its import was begun: a capture since then
   * is newer, also where it is worked on before.
   */
  captureId: string
  conversation: Conversation & { project: string | null }
  plan: CapturePlan
}

export interface Refused {
  line: number
  reason: RejectionReason
  message: string
}

/** What becomes of the records of a batch: each is in one of the three. */
export interface JudgedBatch {
  accepted: Accepted[]
  duplicates: number
  refused: Refused[]
}

/**
 * Compares the records of a batch with what is known of their conversations: the same one again is a duplicate, another
 * one under its name is refused, and of a session's log that has gone on what is new is accepted.
 */
export async function judgeBatch(
  deps: WorkDeps,
  { lease, adapter }: { lease: Lease; adapter: Adapter },
  records: readonly ReadRecord[],
): Promise<JudgedBatch> {
  const judged: JudgedBatch = { accepted: [], duplicates: 0, refused: [] }
  const known = await knownOf(deps, lease.agentId, records)
  for (const { line, reading } of records) {
    lease.signal.throwIfAborted()
    if ('rejection' in reading) {
      judged.refused.push(refusal(line, reading.rejection, reading.detail))
      continue
    }
    const outcome = await judge(deps, { lease, adapter, known }, line, reading.conversation)
    if (outcome === 'duplicate') judged.duplicates++
    else if ('reason' in outcome) judged.refused.push(outcome)
    else {
      judged.accepted.push(outcome)
      known.set(outcome.identity, outcome.contentHash)
    }
  }
  return judged
}

/** Hashes of the contents of conversations by their identities. */
type Known = Map<string, string>

async function knownOf({ store }: WorkDeps, agentId: string, records: readonly ReadRecord[]): Promise<Known> {
  const identities = records.flatMap(({ reading }) =>
    'conversation' in reading ? [identityOf(reading.conversation)] : [],
  )
  const rows = await store.tables.importRecords.fingerprints(agentId, identities)
  return new Map(rows.filter(isHere).map(row => [row.identity, row.content_hash]))
}

function isHere({ removed_at }: FingerprintRow): boolean {
  return removed_at === null
}

async function judge(
  deps: WorkDeps,
  { lease, adapter, known }: { lease: Lease; adapter: Adapter; known: Known },
  line: number,
  said: Conversation,
): Promise<Accepted | Refused | 'duplicate'> {
  const isLog = 'readFile' in adapter
  if (isLog && (await isBypassed(deps, lease, said))) return refusal(line, 'session_bypassed')
  const identity = identityOf(said)
  const contentHash = await contentHashOf(said.messages, deps.budget)
  const before = known.get(identity)
  if (before === contentHash) return 'duplicate'
  if (before !== undefined && !isLog) return refusal(line, 'conversation_identity_conflict')
  const stored = await deps.store.tables.transcripts.find({
    agentId: lease.agentId,
    sessionKey: said.sessionKey,
  })
  const isHere = !lease.isElsewhere
  const project = lease.project ?? said.project ?? (await projectSaid(deps, said.cwd, { isHere }))
  const conversation = { ...said, project, messages: await cleanMessages(said.messages, deps.budget) }
  const captureId = isLog ? lease.id : deps.newId()
  const accepted = { line, identity, contentHash, captureId, conversation }
  if (!stored) return { ...accepted, plan: await planAnew(deps, conversation.messages) }
  const plan = await planCapture(deps, {
    capture: {
      ...stored,
      id: captureId,
      source: isLog ? 'file' : 'import',
      captured_at: said.capturedAt ?? stored.captured_at,
    },
    messages: conversation.messages,
    stored,
  })
  if (plan === undefined) return 'duplicate'
  return isLog && takesPlace(plan, said, stored)
    ? { ...accepted, plan }
    : refusal(line, 'conversation_identity_conflict')
}

/**
 * A log is what its program says of a session. It is taken as a capture would take it when it goes on with what is
 * stored, when it begins as that does (the program, or its reader, tells it otherwise by now), and when it is later.
 */
function takesPlace(
  { relation, isSameBeginning }: CapturePlan,
  said: Conversation,
  stored: TranscriptRow,
): boolean {
  return relation !== 'another' || isSameBeginning || (said.capturedAt ?? '') >= stored.captured_at
}

/** Whose session it was said that nothing of it is to be kept. */
async function isBypassed(
  { store }: WorkDeps,
  { agentId }: Lease,
  { sessionKey }: Conversation,
): Promise<boolean> {
  const row = await store.tables.sessions.byKey(sessionKey, agentId)
  return row?.bypassed === 1
}

async function planAnew(deps: WorkDeps, messages: readonly ImportedMessage[]): Promise<CapturePlan> {
  return {
    relation: 'first',
    isSameBeginning: false,
    bodyId: deps.newId(),
    extended: undefined,
    replaced: null,
    from: 0,
    added: messages,
    fingerprints: await fingerprintsOf(messages, deps.budget),
  }
}

/** What is private, or was put in by this service, is stored nowhere but in the file itself. */
async function cleanMessages(
  messages: readonly ImportedMessage[],
  budget: LoopBudget,
): Promise<ImportedMessage[]> {
  const clean: ImportedMessage[] = []
  for (const message of messages) {
    clean.push({ ...message, text: withoutRecalled(withoutPrivate(message.text)) })
    await budget.breathe()
  }
  return clean
}

/** Conversations of one agent and one name are the same. */
function identityOf({ sessionKey }: Conversation): string {
  return createHash('sha256').update(sessionKey).digest('hex')
}

async function contentHashOf(messages: readonly ImportedMessage[], budget: LoopBudget): Promise<string> {
  const hash = createHash('sha256')
  for (const { role, text, at } of messages) {
    hash.update(JSON.stringify([role, text, at]))
    await budget.breathe()
  }
  return hash.digest('hex')
}

function refusal(line: number, reason: RejectionReason, detail?: string): Refused {
  const sentence = rejectionReasons[reason]
  return { line, reason, message: detail === undefined ? sentence : `${sentence}: ${detail}` }
}
