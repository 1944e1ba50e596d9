import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { appendLines, sizeOf } from '../../../store/files/line-file.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { recordFile, recordLines } from '../transcripts/transcript-record.js'
import { cleaned, collected } from './clean.js'
import type { Verdict } from './judge-chunks.js'
import { openSource } from './open-source.js'
import { type CapturePlan, planCapture } from './plan-capture.js'
import { dropMessages, removeBody } from './remove-body.js'
import { showCapture } from './show-capture.js'
import { stageChunks, stageMessages } from './stage-capture.js'

export type CaptureDeps = Pick<
  Daemon,
  'store' | 'paths' | 'clock' | 'newId' | 'log' | 'transcriptIndex' | 'blackBoxes' | 'budget'
>

/**
 * Captures what was handed over: reads and cleans it, stages its messages and chunks, adds it to the record of its
 * harness, and only then shows all of it in one transaction. Nothing half captured is ever seen, every step may be
 * repeated, and what is stored already is not stored again (rules.md 4.10).
 * @throws Uncapturable, Unreadable, the reason of the signal, or anything that another attempt may overcome.
 */
export async function captureTranscript(
  deps: CaptureDeps,
  capture: CaptureRow,
  signal: AbortSignal,
): Promise<void> {
  const name = { agentId: capture.agent_id, sessionKey: capture.session_key }
  const stored = await deps.store.tables.transcripts.find(name)
  if (stored?.capture_id === capture.id) {
    // An earlier attempt stored everything: only index and receipt are left to update.
    await deps.transcriptIndex.update(stored.body_id, { from: 0 })
    return complete(deps, capture.id)
  }
  const messages = await collected(checked(cleaned(await openSource(deps, capture)), signal))
  const plan = await planCapture(deps, { capture, messages, stored })
  await takeBack(deps, capture, plan)
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
      payload: { messages: shown.messages, added: plan.added.length },
    },
  ])
}

/** Takes back what an attempt before staged, and notes where this one is about to write. */
async function takeBack(
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

/** Ends a capture: what it says can be read and found. @param staleBody what an attempt before may have left. */
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
