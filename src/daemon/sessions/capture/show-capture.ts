import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import { policyVersion } from '../../ground/safety/scan.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { headMessages, sessionHead } from '../transcripts/session-head.js'
import { type Verdict, worseOf } from './judge-chunks.js'
import type { CapturePlan } from './plan-capture.js'
import type { StagedChunks } from './stage-capture.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId'>

interface Staged {
  capture: CaptureRow
  plan: CapturePlan
  chunks: StagedChunks
  verdict: Verdict
}

/** The moment at which readers see it all: the transcript and its summary node. */
export async function showCapture(
  deps: Deps,
  { capture, plan, chunks, verdict }: Staged,
): Promise<{ messages: number; nodeId: string }> {
  const { extended, bodyId, from, added } = plan
  const now = deps.clock().toISOString()
  const reasons = new Set([
    ...(extended?.safety_reasons.split(',').filter(Boolean) ?? []),
    ...verdict.reasons,
  ])
  const first = extended
    ? await deps.store.tables.transcripts.messages(extended, 0, headMessages)
    : added.slice(0, headMessages)
  const head = await sessionHead(first, added.slice(-headMessages))
  const row: TranscriptRow = {
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
    safety_status:
      reasons.size > 1
        ? 'blocked'
        : worseOf((extended?.safety_status ?? 'clean') as Verdict['status'], verdict.status),
    safety_reasons: [...reasons].join(','),
    // Its earlier chunks are judged again as long as it names the policy that judged them.
    safety_policy: extended?.safety_policy ?? policyVersion,
    safety_scanned_at: now,
  }
  const nodeId = await deps.store.transaction(async tables => {
    if (chunks.first) await tables.transcriptChunks.put([chunks.first])
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
    return tables.summaryNodes.keep({
      id: deps.newId(),
      agent_id: row.agent_id,
      kind: 'session',
      source_type: 'transcript',
      source_ref: row.session_key,
      session_key: row.session_key,
      harness: row.harness,
      project: row.project,
      content: head,
      meta: JSON.stringify({ messages: row.messages, characters: row.characters }),
      safety_status: 'clean',
      safety_policy: policyVersion,
      starts_at: first[0]?.at ?? row.captured_at,
      ends_at: row.captured_at,
      created_at: now,
    })
  })
  return { messages: row.messages, nodeId }
}
