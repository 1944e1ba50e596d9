import { createHash } from 'node:crypto'
import { type RejectionReason, rejectionReasons } from '../../../../contract/knowledge/imports.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import type { FingerprintRow } from '../../../../store/tables/knowledge/imports.js'
import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import { captureVerdict } from '../../../ground/projects/capture-rules.js'
import { withoutPrivate } from '../../../ground/text/private-spans.js'
import { withoutRecalled } from '../../../ground/text/tag-spans.js'
import { type CapturePlan, fingerprintsOf, planCapture } from '../../../sessions/capture/plan-capture.js'
import { addLeftOut, type LeftOut } from '../../../sessions/transcripts/transcript-message.js'
import type { Adapter, Conversation, ImportedMessage, RecordOffset, RecordResult } from '../forms/adapter.js'
import type { FileRecord } from '../forms/file-records.js'
import type { Lease, WorkDeps } from './lease.js'

/** A record to be imported. */
export interface AcceptedRecord {
  line: number
  identity: string
  contentHash: string
  /**
   * Orders captures of a session by age. A log counts from the beginning of its import: a later capture is
   * newer, even if it is processed first.
   */
  captureId: string
  conversation: Conversation & { project: string | null }
  plan: CapturePlan
}

export interface RefusedRecord {
  line: number
  reason: RejectionReason
  message: string
}

/** The outcome of a batch: each record is in one of the three groups. */
export interface JudgedBatch {
  accepted: AcceptedRecord[]
  duplicates: number
  refused: RefusedRecord[]
  /** Counts of what the accepted records lack. */
  leftOut: LeftOut
}

/** Limits of records and bytes committed together. */
const maxRecords = 25
const maxBytes = 8 * 1024 * 1024

interface ReadRecord {
  /** Number within its file, from 1. */
  line: number
  reading: RecordResult
}

export interface Batch {
  records: readonly ReadRecord[]
  /** Start of the next batch. */
  place: RecordOffset
}

/**
 * Compares the records of a batch with stored conversations: an equal one is a duplicate, a different one
 * with the same key is refused, and from a continued session log only new messages are accepted.
 */
export async function judgeBatch(
  deps: WorkDeps,
  { lease, adapter }: { lease: Lease; adapter: Adapter },
  records: readonly ReadRecord[],
): Promise<JudgedBatch> {
  const judged: JudgedBatch = { accepted: [], duplicates: 0, refused: [], leftOut: {} }
  const known = await knownHashes(deps, lease.agentId, records)
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
      addLeftOut(judged.leftOut, reading.leftOut)
      known.set(outcome.identity, outcome.contentHash)
    }
  }
  return judged
}

/** Content hashes of conversations by identity. */
type KnownHashes = Map<string, string>

async function knownHashes(
  { store }: WorkDeps,
  agentId: string,
  records: readonly ReadRecord[],
): Promise<KnownHashes> {
  const identities = records.flatMap(({ reading }) =>
    'conversation' in reading ? [identityOf(reading.conversation)] : [],
  )
  const rows = await store.tables.importRecords.fingerprints(agentId, identities)
  return new Map(rows.filter(isHere).map(row => [row.identity, row.content_hash]))
}

function isHere({ removed_at }: FingerprintRow): boolean {
  return removed_at === null
}

/** False if the rules of capture leave out logs of this project (sessions.md#capture-rules). */
async function isCaptured(
  { projects, configuration }: WorkDeps,
  lease: Lease,
  { harness, project, cwd }: Conversation,
): Promise<boolean> {
  const asked = { harness, cwd, project: lease.project ?? project, isHere: !lease.isElsewhere }
  return (await captureVerdict(projects, configuration().settings.capture, asked)).isCaptured
}

async function judge(
  deps: WorkDeps,
  { lease, adapter, known }: { lease: Lease; adapter: Adapter; known: KnownHashes },
  line: number,
  said: Conversation,
): Promise<AcceptedRecord | RefusedRecord | 'duplicate'> {
  const isLog = 'readFile' in adapter
  if (isLog && (await isBypassed(deps, lease, said))) return refusal(line, 'session_bypassed')
  if (isLog && !(await isCaptured(deps, lease, said))) return refusal(line, 'capture_off')
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
  const lookup = { isHere, adds: true }
  const named = lease.project ?? said.project
  const project = named
    ? await deps.projects.resolve(named, lookup)
    : said.cwd
      ? (await deps.projects.locate(said.cwd, lookup)).project
      : null
  const conversation = { ...said, project, messages: await cleanMessages(said.messages, deps.budget) }
  const captureId = isLog ? lease.id : deps.newId()
  const accepted = { line, identity, contentHash, captureId, conversation }
  const { messages } = conversation
  if (!stored && !isLog) return { ...accepted, plan: await planFirstCapture(deps, messages) }
  const session = stored ?? {
    agent_id: lease.agentId,
    session_key: said.sessionKey,
    harness: said.harness,
    project,
    captured_at: deps.clock().toISOString(),
  }
  const capture = {
    ...session,
    id: captureId,
    source: isLog ? 'file' : 'import',
    captured_at: said.capturedAt ?? session.captured_at,
  }
  const plan = await planCapture(deps, { capture, messages, stored })
  if (plan === undefined) return 'duplicate'
  return !stored || (isLog && replacesStored(plan, said, stored))
    ? { ...accepted, plan }
    : refusal(line, 'conversation_identity_conflict')
}

/**
 * A session log is authoritative and treated as a capture: it is accepted if it continues the stored
 * messages, begins the same way (its program may render messages differently by now), or is later.
 */
function replacesStored(
  { relation, isSameBeginning }: CapturePlan,
  said: Conversation,
  stored: TranscriptRow,
): boolean {
  return relation !== 'another' || isSameBeginning || (said.capturedAt ?? '') >= stored.captured_at
}

/** True for a session that the user excluded from storage. */
async function isBypassed(
  { store }: WorkDeps,
  { agentId }: Lease,
  { sessionKey }: Conversation,
): Promise<boolean> {
  const row = await store.tables.sessions.byKey(sessionKey, agentId)
  return row?.bypassed === 1
}

async function planFirstCapture(deps: WorkDeps, messages: readonly ImportedMessage[]): Promise<CapturePlan> {
  return {
    relation: 'first',
    isSameBeginning: false,
    forkOf: undefined,
    bodyId: deps.newId(),
    extended: undefined,
    replaced: null,
    from: 0,
    added: messages,
    fingerprints: await fingerprintsOf(messages, deps.budget),
  }
}

/** Removes private spans and recalled memories; only the uploaded file keeps them. */
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

/** Conversations of the same agent and key are the same. */
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

function refusal(line: number, reason: RejectionReason, detail?: string): RefusedRecord {
  const sentence = rejectionReasons[reason]
  return { line, reason, message: detail === undefined ? sentence : `${sentence}: ${detail}` }
}

/** Groups records into batches, in order; a record larger than a batch gets one of its own. */
export async function* batchesOf(records: AsyncIterable<FileRecord>): AsyncGenerator<Batch> {
  let pending: ReadRecord[] = []
  let bytes = 0
  let place: RecordOffset = { bytes: 0, number: 0 }
  for await (const { number, end, size, read } of records) {
    if (pending.length > 0 && bytes + size > maxBytes) {
      yield { records: pending, place }
      pending = []
      bytes = 0
    }
    pending.push({ line: number, reading: await read() })
    bytes += size
    place = { bytes: end, number }
    if (pending.length < maxRecords) continue
    yield { records: pending, place }
    pending = []
    bytes = 0
  }
  if (pending.length > 0) yield { records: pending, place }
}
