import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { appendLines, sizeOf } from '../../../store/files/line-file.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import { noCut } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { recordFile, recordLines } from '../transcripts/transcript-message.js'
import { mergeUses } from '../work/merge-uses.js'
import { recorderOf } from '../work/record-work.js'
import { cleanMessages, collectNewest } from './clean.js'
import type { Verdict } from './judge-chunks.js'
import { openSource } from './open-source.js'
import { type CapturePlan, planCapture } from './plan-capture.js'
import { dropMessages, removeBody } from './remove-body.js'
import { showCapture } from './show-capture.js'
import { stageChunks, stageMessages } from './stage-capture.js'

export type CaptureDeps = Pick<
  Daemon,
  | 'store'
  | 'paths'
  | 'clock'
  | 'newId'
  | 'log'
  | 'transcriptIndex'
  | 'blackBoxes'
  | 'budget'
  | 'configuration'
  | 'toolQueues'
  | 'projects'
>

/**
 * Captures a received transcript: reads and cleans it, stages messages and chunks, adds it to its harness's
 * record, and then shows everything in one transaction. Readers never see half a capture, every step may be
 * repeated, and stored messages are not stored again (rules.md 4.10).
 * @throws Uncapturable, Unreadable, the reason of the signal, or an error that another attempt may overcome.
 */
export async function captureTranscript(
  deps: CaptureDeps,
  capture: CaptureRow,
  signal: AbortSignal,
): Promise<void> {
  const name = { agentId: capture.agent_id, sessionKey: capture.session_key }
  const stored = await deps.store.tables.transcripts.find(name)
  if (stored?.capture_id === capture.id) {
    // An earlier attempt stored everything; only index and receipt need an update.
    await deps.transcriptIndex.update(stored.body_id, { from: 0 })
    return complete(deps, capture.id)
  }
  const lost = noCut()
  const work = await recorderOf(deps, capture)
  const cleaned = cleanMessages(await openSource(deps, capture, work?.take), lost)
  const messages = await collectNewest(checked(cleaned, signal))
  const plan = await planCapture(deps, { capture, messages, stored })
  // Before the receipt says that the session is stored.
  if (work) {
    await mergeUses(deps, { keys: [name.sessionKey], keeps: true })
    await work.store(signal)
  }
  await dropEarlierAttempt(deps, capture, plan)
  if (plan === undefined) return complete(deps, capture.id, capture.body_id)
  const verdict: Verdict = { status: 'clean', reasons: new Set() }
  await stageMessages(deps, plan, signal)
  const chunks = await stageChunks(deps, plan, verdict, signal)
  await appendLines(
    recordFile(deps, capture.harness),
    inSlices(recordLines(capture, plan.added, plan.from), deps.budget),
  )
  const shown = await showCapture(deps, { capture, plan, chunks, verdict })
  await deps.transcriptIndex.update(plan.bodyId, { from: chunks.from })
  await complete(deps, capture.id)
  deps.blackBoxes.note({ ...name, project: capture.project }, [
    {
      kind: 'artifact.written',
      title: 'transcript captured',
      refs: [shown.nodeId],
      payload: {
        messages: shown.messages,
        added: plan.added.length,
        ...(lost.parts > 0 && { privateParts: lost.parts, privateCharacters: lost.characters }),
      },
    },
  ])
}

/** Removes rows staged by an earlier attempt, and stores where this one is about to write. */
async function dropEarlierAttempt(
  deps: CaptureDeps,
  { id, harness, body_id }: CaptureRow,
  plan: CapturePlan | undefined,
): Promise<void> {
  if (!plan) return
  if (body_id !== null && body_id !== plan.bodyId) await removeBody(deps, body_id)
  if (plan.extended) await dropMessages(deps, plan.bodyId, plan.from)
  await deps.store.tables.transcriptCaptures.update(id, {
    body_id: plan.bodyId,
    record_size: await sizeOf(recordFile(deps, harness)),
  })
}

/** Completes a capture. @param staleBody body that an earlier attempt may have left. */
async function complete(deps: CaptureDeps, id: string, staleBody?: string | null): Promise<void> {
  await deps.store.tables.transcriptCaptures.update(id, {
    status: 'completed',
    error: null,
    completed_at: deps.clock().toISOString(),
    ...(staleBody && { stale_body_id: staleBody }),
  })
}

async function* checked<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted()
    yield item
  }
}

async function* inSlices<T>(items: Iterable<T>, budget: LoopBudget): AsyncGenerator<T> {
  for (const item of items) {
    yield item
    await budget.breathe()
  }
}
