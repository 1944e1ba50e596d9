import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import {
  type EndReason,
  endReasons,
  type InlineTranscript,
  type SessionEndBody,
  type SessionEndReply,
} from '../../../contract/sessions/hook-capture.js'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { reportedTime } from '../../../lib/time/time.js'
import { createLines } from '../../../store/files/line-file.js'
import type { NewEvent } from '../../../store/tables/operations/telemetry.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import type { Tables } from '../../../store/tables/tables.js'
import { anonymousKey, recordEvent, writeEvent } from '../../ground/recording/record-event.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type EnterDeps, type EnterOptions, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { readTranscript } from '../transcripts/readers/read-transcript.js'
import { stringSlices } from '../transcripts/readers/text-slices.js'
import { mayNameTranscript, transcriptFile, transcriptPathError } from '../transcripts/transcript-file.js'
import { roleOf, type TranscriptMessage, textOf, timeOf } from '../transcripts/transcript-message.js'
import { captureJob, queueCapture, type ReceivedTranscript } from './capture-worker.js'
import { cleanMessages } from './clean.js'
import { scoreSession } from './score-session.js'

export type SessionEndDeps = EnterDeps &
  Pick<Daemon, 'paths' | 'newId' | 'wake' | 'budget' | 'log' | 'sessionCosts' | 'blackBoxes'>

type Turn = Exclude<InlineTranscript, string>[number]

/**
 * Ends a session and queues its transcript durably before it resolves; the claim is free afterwards (rules.md
 * 4.10). While writes are frozen it only ends the session.
 * @throws AppError `conflict` for a call from the other runtime path, `validation_failed` or
 * `payload_too_large` for a rejected transcript. The session has ended even then, except in a sweep.
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
    await releaseClaim(deps, entry.session?.name)
    return { success: true, transcript: 'none', ...entry.flag }
  }
  const { session } = entry
  if (isFrozen(deps)) {
    await releaseClaim(deps, session.name)
    return { success: true, transcript: body.transcript || body.transcriptPath ? 'frozen' : 'none' }
  }
  const id = deps.newId()
  const { outcome, received } = await receive(deps, caller, { id, body }).catch(async error => {
    // Releases the claim even when nothing can be captured; otherwise the other runtime path would wait until
    // it expires.
    if (error instanceof AppError && !sweeps) await releaseClaim(deps, session.name)
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
    // A session with a conversation is scored after its capture.
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

async function releaseClaim({ store, clock }: SessionEndDeps, name: SessionName | undefined): Promise<void> {
  if (name) await store.tables.sessions.end(name, null, clock().toISOString())
}

interface Receipt {
  outcome: SessionEndReply['transcript']
  received?: ReceivedTranscript
}

/** Inline text takes precedence over a path. */
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
  // Checked before any file access: a caller that may not read a file must not learn whether it exists.
  if (!(await mayNameTranscript(deps, caller, body.transcriptPath)))
    throw transcriptPathError(
      body.transcriptPath,
      'must be a .json or .jsonl file of this machine, in the session folders of a harness or the staging folder',
    )
  const file = await transcriptFile(deps, body.transcriptPath)
  return file ? { outcome: 'queued', received: { source: 'file', path: file.path } } : { outcome: 'missing' }
}

/** A call without a session gets a key from its content, the same for a repeated call. */
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
  // An importer reports sessions that ended long before the daemon knew them.
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

/**
 * Writes an inline transcript to a file until it is captured; private parts are never written.
 * @returns the file; undefined without any message.
 */
export async function receiveInline(
  { paths, budget }: Pick<Daemon, 'paths' | 'budget'>,
  captureId: string,
  transcript: InlineTranscript,
): Promise<string | undefined> {
  const file = join(paths.captures, `${captureId}.jsonl`)
  const messages = cleanMessages(inlineMessages(transcript, budget))
  const first = await messages.next()
  if (first.done) return undefined
  const lines = async function* (): AsyncGenerator<string> {
    yield JSON.stringify(first.value)
    for await (const message of messages) yield JSON.stringify(message)
  }
  await createLines(file, lines())
  return file
}

/** Length in UTF-16 units, with which checkpoints measure what is new. */
export function inlineLength(transcript: InlineTranscript): number {
  if (typeof transcript === 'string') return transcript.length
  return transcript.reduce((sum, turn) => sum + textOfTurn(turn).length, 0)
}

function inlineMessages(transcript: InlineTranscript, budget: LoopBudget): AsyncGenerator<TranscriptMessage> {
  return typeof transcript === 'string'
    ? readTranscript(stringSlices(transcript), budget)
    : turns(transcript, budget)
}

async function* turns(list: readonly Turn[], budget: LoopBudget): AsyncGenerator<TranscriptMessage> {
  for (const turn of list) {
    const role = roleOf(turn.role)
    const text = textOfTurn(turn)
    if (role !== undefined && text.trim() !== '') yield { role, text, at: timeOf(turn.at ?? turn.timestamp) }
    await budget.breathe()
  }
}

function textOfTurn({ text, content }: Turn): string {
  return text ?? textOf(content ?? '')
}
