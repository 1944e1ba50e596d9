import { oneLine } from '../../../lib/text/one-line.js'
import type { NewSummaryNode } from '../../../store/tables/sessions/summary-nodes.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import type { SafetyReason, SafetyStatus } from '../../safety/rules/rule.js'
import { codesIn, policyVersion, type VerdictColumns, verdictColumns } from '../../safety/verdict-columns.js'
import { isTurn } from '../transcripts/transcript-message.js'
import { mergeVerdict, type Verdict } from './judge-chunks.js'
import type { CapturePlan } from './plan-capture.js'
import { type StagedChunks, showChunks } from './stage-capture.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId'>

/** Owner, harness and capture of a conversation. */
export type CapturedSession = Pick<
  CaptureRow,
  'id' | 'agent_id' | 'session_key' | 'harness' | 'project' | 'captured_at'
>

interface PlannedCapture {
  capture: CapturedSession
  plan: CapturePlan
  verdict: Verdict
}

interface StagedCapture extends PlannedCapture {
  chunks: StagedChunks
}

/** Makes transcript and summary node visible to readers in one step. */
export async function showCapture(
  deps: Deps,
  staged: StagedCapture,
): Promise<{ messages: number; nodeId: string }> {
  const now = deps.clock().toISOString()
  const row = transcriptOf(staged, now)
  const node = await headNode(deps, staged.plan, row)
  const nodeId = await deps.store.transaction(async tables => {
    await show(deps, tables, staged, row)
    return tables.summaryNodes.keep(node)
  })
  return { messages: row.messages, nodeId }
}

async function show(
  deps: Deps,
  tables: Tables,
  { capture, plan, chunks }: StagedCapture,
  row: TranscriptRow,
): Promise<void> {
  await showChunks(deps, tables, row.body_id, chunks)
  await tables.transcripts.show(row)
  await tables.transcriptCaptures.noteCaptured(
    { agentId: row.agent_id, sessionKey: row.session_key },
    row.captured_at,
  )
  await tables.transcriptCaptures.update(capture.id, {
    body_id: null,
    record_size: null,
    stale_body_id: plan.replaced,
  })
}

/** The transcript row after the capture: the stored part and the added messages. @param now ISO timestamp. */
export function transcriptOf({ capture, plan, verdict }: PlannedCapture, now: string): TranscriptRow {
  const { extended, bodyId, from, added } = plan
  return {
    agent_id: capture.agent_id,
    session_key: capture.session_key,
    harness: capture.harness,
    project: capture.project,
    body_id: bodyId,
    capture_id: capture.id,
    messages: from + added.length,
    characters: (extended?.characters ?? 0) + added.reduce((sum, { text }) => sum + text.length, 0),
    captured_at: capture.captured_at,
    updated_at: now,
    ...wholeVerdict(extended, verdict, now),
  }
}

/** The head of a session, from the first messages of its transcript and the last added ones. */
export async function headNode(
  { store, newId }: Pick<Deps, 'store' | 'newId'>,
  { extended, added, forkOf }: CapturePlan,
  row: TranscriptRow,
): Promise<NewSummaryNode> {
  const first = extended
    ? await store.tables.transcripts.messages(extended, 0, headMessages)
    : added.filter(isTurn).slice(0, headMessages)
  return {
    id: newId(),
    agent_id: row.agent_id,
    kind: 'session',
    source_type: 'transcript',
    source_ref: row.session_key,
    session_key: row.session_key,
    harness: row.harness,
    project: row.project,
    content: await sessionHead(first, added.filter(isTurn).slice(-headMessages)),
    meta: JSON.stringify({ messages: row.messages, characters: row.characters, ...(forkOf && { forkOf }) }),
    safety_status: 'clean',
    safety_policy: policyVersion,
    starts_at: first[0]?.at ?? row.captured_at,
    ends_at: row.captured_at,
    created_at: row.updated_at,
  }
}

/**
 * The verdict on a transcript with its added messages; the earlier part is rescanned if it has another policy
 * version.
 */
function wholeVerdict(extended: TranscriptRow | undefined, added: Verdict, now: string): VerdictColumns {
  if (!extended) return verdictColumns(added, now)
  const whole: Verdict = {
    status: extended.safety_status as SafetyStatus,
    reasons: new Set(codesIn(extended.safety_reasons) as SafetyReason[]),
  }
  mergeVerdict(whole, added)
  return { ...verdictColumns(whole, now), safety_policy: extended.safety_policy }
}

interface HeadMessage {
  role: string
  text: string
}

/** Maximum length of parts of a head, in UTF-16 units. */
const maxRequest = 600

const maxAnswer = 700

const answers = 2

/** Messages read from the beginning and from the end. */
const headMessages = 20

/**
 * Describes a session without a language model: the first request and the last answers, without repetitions.
 * Text that the content safety policy does not call clean is left out, since heads are added to contexts.
 * @param first messages from the beginning. @param last messages up to the end.
 * @returns '' when nothing may be shown.
 */
export async function sessionHead(
  first: readonly HeadMessage[],
  last: readonly HeadMessage[],
): Promise<string> {
  const request = await firstClean(
    first.filter(({ role }) => role !== 'assistant'),
    maxRequest,
    1,
  )
  const results = await firstClean(
    last.filter(({ role }) => role === 'assistant').reverse(),
    maxAnswer,
    answers,
  )
  const parts = [
    ...request.map(text => `Asked: ${text}`),
    ...results.reverse().map(text => `Answered: ${text}`),
  ]
  const head = parts.join('\n\n')
  return (await isClean(head)) ? head : ''
}

async function firstClean(
  messages: readonly HeadMessage[],
  maxLength: number,
  count: number,
): Promise<string[]> {
  const found: string[] = []
  for (const { text } of messages) {
    if (found.length === count) break
    const piece = oneLine(text, maxLength)
    if (!found.includes(piece) && (await isClean(piece))) found.push(piece)
  }
  return found
}

async function isClean(text: string): Promise<boolean> {
  return (await scanContentInSlices(text)).status === 'clean'
}
