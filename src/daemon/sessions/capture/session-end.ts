import { createHash } from 'node:crypto'
import { AppError } from '../../../contract/ground/errors.js'
import {
  type EndReason,
  endReasons,
  type SessionEndBody,
  type SessionEndReply,
} from '../../../contract/sessions/hook-capture.js'
import { reportedTime } from '../../../lib/time/time.js'
import type { NewEvent } from '../../../store/tables/operations/telemetry.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import type { Tables } from '../../../store/tables/tables.js'
import { anonymousKey, recordEvent, writeEvent } from '../../ground/recording/record-event.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { scoreSession } from '../continuity/score-session.js'
import { type EnterDeps, type EnterOptions, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { mayName, refused, transcriptFile } from '../transcripts/transcript-file.js'
import { captureJob } from './capture-worker.js'
import { queueCapture, type ReceivedTranscript } from './queue-capture.js'
import { receiveInline } from './receive.js'

export type SessionEndDeps = EnterDeps &
  Pick<Daemon, 'paths' | 'newId' | 'wake' | 'budget' | 'log' | 'sessionCosts' | 'blackBoxes'>

/**
 * Ends a session: its claim is free, and what was said in it waits durably for its capture when this resolves
 * (rules.md 4.10). While mutations are frozen it only ends.
 * @throws AppError `conflict` for a call from the other runtime path, `validation_failed` or `payload_too_large` for a
 *   transcript that is not taken; the session has ended all the same then, unless the sweep ends it.
 */
export async function endSession(
  deps: SessionEndDeps,
  caller: Caller,
  body: SessionEndBody,
  { sweeps = false }: Pick<EnterOptions, 'sweeps'> = {},
): Promise<SessionEndReply> {
  const sessionKey = body.sessionKey ?? caller.sessionKey ?? body.sessionId
  const entry = await enterHook(deps, caller, { ...body, sessionKey }, { sweeps })
  if (entry.kind === 'no-op') {
    await release(deps, entry.session?.name)
    return { success: true, transcript: 'none', ...entry.flag }
  }
  const { session } = entry
  if (isFrozen(deps)) {
    await release(deps, session.name)
    return { success: true, transcript: body.transcript || body.transcriptPath ? 'frozen' : 'none' }
  }
  const id = deps.newId()
  const { outcome, received } = await receive(deps, caller, { id, body }).catch(async error => {
    // The claim is released even when nothing can be captured, else the other runtime path would wait until it expires.
    if (error instanceof AppError && !sweeps) await release(deps, session.name)
    throw error
  })
  const reason = endReasons.find(known => known === body.reason) ?? null
  const event = await deps.store.transaction(async tables => {
    if (received)
      await queueCapture(deps, tables, {
        id,
        session,
        received,
        sessionKey: session.name?.sessionKey ?? unnamedKey(received, body),
        capturedAt: reportedTime(body.capturedAt, deps.clock().toISOString()),
      })
    return end(deps, tables, { session, reason, capturedAt: body.capturedAt })
  })
  if (received) deps.wake(captureJob)
  await writeEvent(deps, event)
  if (!received) {
    // A conversation is scored once it is captured.
    if (session.name) await scoreSession(deps, session.name)
    return { success: true, transcript: outcome }
  }
  return {
    success: true,
    transcript: 'queued',
    transcriptCaptureJobId: id,
    agentId: session.agentId,
  }
}

async function release({ store, clock }: SessionEndDeps, name: SessionName | undefined): Promise<void> {
  if (name) await store.tables.sessions.end(name, null, clock().toISOString())
}

interface Receipt {
  outcome: SessionEndReply['transcript']
  received?: ReceivedTranscript
}

/** The text itself is taken before a path that may lead to it. */
async function receive(
  deps: SessionEndDeps,
  caller: Caller,
  { id, body }: { id: string; body: SessionEndBody },
): Promise<Receipt> {
  if (body.transcript) {
    const path = await receiveInline(deps, id, body.transcript)
    return path ? { outcome: 'queued', received: { source: 'inline', path } } : { outcome: 'empty' }
  }
  if (!body.transcriptPath) return { outcome: 'none' }
  // Before anything is looked at: whoever may not read a file may not find out what is there either.
  if (!(await mayName(deps, caller, body.transcriptPath)))
    throw refused(
      body.transcriptPath,
      'must be a .json or .jsonl file of this machine, in the session folders of a harness or the staging folder',
    )
  const file = await transcriptFile(deps, body.transcriptPath)
  return file ? { outcome: 'queued', received: { source: 'file', path: file.path } } : { outcome: 'missing' }
}

/** Who names no session gets a key by what was handed over, the same for a repeated call. */
function unnamedKey({ path, source }: ReceivedTranscript, { transcript }: SessionEndBody): string {
  const text = source === 'file' ? path : JSON.stringify(transcript)
  return `unnamed-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

async function end(
  deps: SessionEndDeps,
  tables: Tables,
  {
    session,
    reason,
    capturedAt,
  }: { session: HookSession; reason: EndReason | null; capturedAt: string | null | undefined },
): Promise<NewEvent | undefined> {
  const { name, row, before } = session
  const now = deps.clock().toISOString()
  if (name) await tables.sessions.end(name, reason, now)
  // An importer tells of sessions that were over long before anybody heard of them.
  if (name && !before && capturedAt && capturedAt < now)
    await tables.transcriptCaptures.backdate(name, { startedAt: capturedAt, endedAt: capturedAt })
  const ends = reason !== null && (!name || (await tables.transcriptCaptures.countEnd(name)))
  const cost = deps.sessionCosts.of(name)
  if (name && ends) deps.sessionCosts.forget(name)
  return recordEvent(deps, tables, {
    event: ends ? 'session.end' : 'session.turn',
    properties: {
      session: name ? anonymousKey(name.agentId, name.sessionKey) : null,
      reason,
      prompts: row?.prompts ?? 0,
      durationMs: row ? Math.max(0, deps.clock().getTime() - Date.parse(row.started_at)) : 0,
      tokensInput: cost.inputTokens,
      tokensOutput: cost.outputTokens,
      tokensCacheRead: cost.cacheReadTokens,
      tokensCacheWrite: cost.cacheWriteTokens,
      cost: cost.cost,
      coverage: cost.coverage,
    },
  })
}
