import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import { type CaptureQuery, captureState } from '../../../contract/sessions/capture-rules.js'
import type {
  CaptureReply,
  CheckpointBody,
  CheckpointReply,
} from '../../../contract/sessions/hook-capture.js'
import * as hooks from '../../../contract/sessions/hook-capture.js'
import * as contract from '../../../contract/sessions/transcripts.js'
import { isWithinProject } from '../../../store/tables/memory/memory-filter.js'
import { captureVerdict, projectHash } from '../../ground/projects/capture-rules.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import { agentOf, assertInScope, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { enterHook, type HookSession } from '../tracker/enter-hook.js'
import { searchSessions } from '../transcripts/search-sessions.js'
import { sessionTranscript, sessionTurns } from '../transcripts/session-transcript.js'
import { isStaged, transcriptFile } from '../transcripts/transcript-file.js'
import { mergeUses } from '../work/merge-uses.js'
import { captureJob, queueCapture, type ReceivedTranscript } from './capture-worker.js'
import { endSession, inlineLength, receiveInline, type SessionEndDeps } from './session-end.js'

/** Minimum of new characters for a checkpoint (rules.md 8). */
const minDelta = 500

const countedDays = 90

export const routes = [
  route(hooks.sessionEnd, (daemon, { caller, body }) => endSession(daemon, caller, body)),
  route(hooks.checkpointExtract, (daemon, { caller, body }) => checkpoint(daemon, caller, body)),
  route(hooks.captureStatus, (daemon, { caller, params, query }) =>
    captureStatus(daemon, caller, query, params.jobId),
  ),
  route(captureState, (daemon, { caller, query }) => readCaptureState(daemon, caller, query)),
  route(contract.sessionTranscript, (daemon, { caller, params, query }) =>
    sessionTranscript(daemon, caller, query, params.key),
  ),
  route(contract.sessionTurns, (daemon, { caller, params, query }) =>
    sessionTurns(daemon, caller, { ...query, key: params.key }),
  ),
  route(contract.searchSessions, (daemon, { caller, body }) => searchSessions(daemon, caller, body)),
]

/**
 * Returns the status of a capture, without any content.
 * @throws AppError `not_found` for a job that is unknown, another agent's, or of a project outside the
 * credential's.
 */
async function captureStatus(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  query: NamedAgent,
  jobId: string,
): Promise<CaptureReply> {
  const agent = agentOf(caller, query) ?? defaultAgent
  const row = await store.tables.transcriptCaptures.find(jobId)
  if (!row || row.agent_id !== agent || !isWithinProject(row.project, caller.access.scope))
    throw new AppError('not_found', `transcript capture ${jobId} not found`)
  return {
    id: row.id,
    sessionKey: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    status: row.status as CaptureReply['status'],
    error: row.error,
    capturedAt: row.captured_at,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  }
}

/**
 * Captures a session's conversation so far, so that a session without an end is not lost; the claim stays.
 * Silently skips calls with nothing useful to capture (rules.md 4.10).
 * @throws AppError `conflict` for a call from the other runtime path.
 */
async function checkpoint(
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

type Deps = Pick<Daemon, 'projects' | 'configuration' | 'requestCounts' | 'clock'>

/**
 * Tells if sessions of a project are captured, and by which rule (sessions.md#capture-rules).
 * @throws AppError `scope_violation` for a project outside the credential's scope
 */
async function readCaptureState(
  { projects, configuration, requestCounts, clock }: Deps,
  caller: Caller,
  { project: named, cwd, harness }: CaptureQuery,
): Promise<Reply<'GET /api/sessions/capture'>> {
  assertInScope(caller.access.scope, 'project', named)
  const { capture } = configuration().settings
  const lookup = { isHere: isOnThisMachine(caller), adds: false }
  const folder = named === undefined ? cwd : undefined
  const said = named ?? folder ?? caller.project ?? caller.access.scope.project
  const key = said === undefined ? undefined : await projects.resolve(said, lookup)
  assertInScope(caller.access.scope, 'project', key)
  const asked = { project: key, cwd: folder, harness, isHere: lookup.isHere }
  const verdict = await captureVerdict(projects, capture, asked)
  const leftOut = requestCounts.daily.last(countedDays, clock()).reduce((sum, day) => sum + day.leftOut, 0)
  return {
    ...capture,
    project: key === undefined ? null : { key, name: projects.nameOf(key), hash: projectHash(key) },
    ...verdict,
    leftOut,
  }
}
