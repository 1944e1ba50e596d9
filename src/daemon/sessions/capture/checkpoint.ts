import { AppError } from '../../../contract/ground/errors.js'
import type { CheckpointBody, CheckpointReply } from '../../../contract/sessions/hook-capture.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import { enterHook, type HookSession } from '../tracker/enter-hook.js'
import { isStaged, transcriptFile } from '../transcripts/transcript-file.js'
import { mergeUses } from '../work/merge-uses.js'
import { captureJob, queueCapture, type ReceivedTranscript } from './capture-worker.js'
import { inlineLength, receiveInline, type SessionEndDeps } from './session-end.js'

/** Minimum of new characters for a checkpoint (rules.md 8). */
const minDelta = 500

/**
 * Captures a session's conversation so far, so that a session without an end is not lost; the claim stays.
 * Silently skips calls with nothing useful to capture (rules.md 4.10).
 * @throws AppError `conflict` for a call from the other runtime path.
 */
export async function checkpoint(
  deps: SessionEndDeps,
  caller: Caller,
  body: CheckpointBody,
): Promise<CheckpointReply> {
  const entry = await enterHook(deps, caller, body)
  if (entry.kind === 'no-op') return { skipped: true, ...entry.flag }
  const mode = pipelineMode(deps.configuration().settings)
  if (mode !== 'frozen' && mode !== 'disabled') await take(deps, caller, entry.session, body)
  const { name } = entry.session
  // Starts of other sessions name the tests that failed in this turn, and merge nothing themselves.
  if (name) await mergeUses(deps, { keys: [name.sessionKey], all: false })
  return { skipped: true }
}

async function take(
  deps: SessionEndDeps,
  caller: Caller,
  session: HookSession,
  body: CheckpointBody,
): Promise<void> {
  const { name, row } = session
  if (!name || !row) return
  const id = deps.newId()
  const offered = await offeredTranscript(deps, caller, body)
  if (!offered) return
  const { length } = offered
  const cursor = row.checkpoint_cursor
  // A shorter transcript was restarted, so all of it is new.
  if (length - (length < cursor ? 0 : cursor) < minDelta) return
  const received = await offered.receive(id)
  await deps.store.transaction(async tables => {
    if (received)
      await queueCapture(deps, tables, {
        id,
        session,
        received,
        sessionKey: name.sessionKey,
        capturedAt: deps.clock().toISOString(),
      })
    await tables.transcriptCaptures.moveCursor(name, length)
  })
  if (received) deps.wake(captureJob)
}

interface OfferedTranscript {
  /** In the units of the cursor: characters of a text, bytes of a file. */
  length: number
  receive(id: string): Promise<ReceivedTranscript | undefined>
}

async function offeredTranscript(
  deps: SessionEndDeps,
  caller: Caller,
  { transcript, transcriptPath }: CheckpointBody,
): Promise<OfferedTranscript | undefined> {
  if (transcript)
    return {
      length: inlineLength(transcript),
      receive: async id => {
        const path = await receiveInline(deps, id, transcript)
        return path === undefined ? undefined : { source: 'inline', path }
      },
    }
  const file =
    transcriptPath && isOnThisMachine(caller) ? await fileOrNothing(deps, transcriptPath) : undefined
  if (!file || !(await isStaged(file))) return undefined
  return { length: file.bytes, receive: async () => ({ source: 'file', path: file.path }) }
}

/** A checkpoint ignores a file that it may not read. */
async function fileOrNothing(deps: SessionEndDeps, path: string): ReturnType<typeof transcriptFile> {
  try {
    return await transcriptFile(deps, path)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
