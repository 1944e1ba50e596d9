import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { truncateFile } from '../../../store/files/line-file.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../store/tables/tables.js'
import { loadChunk } from '../../ground/index/transcript-entries.js'
import { type Job, type JobKind, newJob } from '../../ground/jobs/job-kind.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { policyVersion, verdictColumns } from '../../safety/verdict-columns.js'
import type { HookSession } from '../tracker/enter-hook.js'
import { recordFile } from '../transcripts/transcript-message.js'
import { type CaptureDeps, captureTranscript } from './capture-transcript.js'
import { type JudgedChunk, judgeChunks, type Verdict } from './judge-chunks.js'
import { UncapturableTranscript, UnreadableTranscript } from './open-source.js'
import { removeStaleBodies } from './remove-body.js'
import { scoreSession } from './score-session.js'
import { putChunks } from './stage-capture.js'

/** Many attempts: each daemon kill uses one, and an acknowledged transcript must survive some kills. */
export const captureJob: JobKind = {
  kind: 'transcript-capture',
  maxAttempts: 20,
  isLocal: true,
  workload: 'memory_capture',
}
/** Attempts at an unreadable file, about a minute: it may be renamed, locked or deleted. */
const readAttempts = 6
/**
 * Age from which a file without a receipt is an orphan: a request writes the receipt right after its file.
 */
const orphanAgeMs = 600_000

/** How long a capture waits for another daemon, and how often it looks. */
const turnMs = 20_000
const turnPauseMs = 100

type Deps = CaptureDeps & Pick<Daemon, 'configuration' | 'capturing' | 'telemetry'>

/** A received transcript: in a file of the daemon, or in one of the harness. */
export interface ReceivedTranscript {
  source: 'inline' | 'file'
  path: string
}

export interface NewReceipt {
  id: string
  sessionKey: string
  session: Pick<HookSession, 'agentId' | 'harness' | 'project'>
  received: ReceivedTranscript
  /** ISO time of the last message, as far as the caller knows. */
  capturedAt: string
}

const pageSize = 100

type RejudgeTranscriptsDeps = Pick<Daemon, 'store' | 'budget' | 'transcriptIndex' | 'clock' | 'log'>

/** Writes the receipt of a transcript and queues its capture; the caller's transaction makes both durable. */
export async function queueCapture(
  { clock }: Pick<Daemon, 'clock'>,
  tables: Pick<Tables, 'transcriptCaptures' | 'jobs'>,
  { id, sessionKey, session, received, capturedAt }: NewReceipt,
): Promise<void> {
  const now = clock().toISOString()
  await tables.transcriptCaptures.add({
    id,
    agent_id: session.agentId,
    session_key: sessionKey,
    harness: session.harness,
    project: session.project,
    source: received.source,
    path: received.path,
    status: 'queued',
    captured_at: capturedAt,
    created_at: now,
  })
  // The job has the id of its receipt.
  await tables.jobs.enqueue(newJob({ newId: () => id }, captureJob, id), now)
}

/**
 * Captures transcripts one by one, oldest receipt first, with lower priority than requests. A start continues
 * after a stop or crash. It pauses while writes are frozen.
 */
export function createCaptureWorker(deps: Deps): JobWorker {
  let tidied = false
  return createJobWorker(deps, {
    job: captureJob,
    batchSize: 1,
    ready: async () => {
      if (isFrozen(deps)) return false
      await deps.capturing(async () => {
        if (!tidied) await cleanUpAfterCrash(deps)
        tidied = true
        await removeStaleBodies(deps)
      })
      return true
    },
    run: async (jobs, signal) => {
      for (const job of jobs) await deps.capturing(() => runCapture(deps, job, signal))
    },
    // Runs between captures, since it must not overlap a capture of the same session.
    refill: async signal => {
      if (!signal.aborted) await deps.capturing(() => rejudgeTranscripts(deps, signal))
      return false
    },
    isOwn: error => error instanceof UnreadableTranscript,
  })
}

/** Throws errors that another attempt may overcome; after the last attempt the receipt has the reason. */
async function runCapture(deps: Deps, job: Job, signal: AbortSignal): Promise<void> {
  const { transcriptCaptures } = deps.store.tables
  const capture = await transcriptCaptures.find(job.subject)
  if (!capture) return
  if (capture.status !== 'completed') {
    try {
      await takeTurn(deps, capture, signal)
      await captureTranscript(deps, capture, signal)
    } catch (error) {
      const isHopeless =
        error instanceof UncapturableTranscript ||
        (error instanceof UnreadableTranscript && job.attempts >= readAttempts)
      const isFinal = isHopeless || job.attempts >= job.maxAttempts
      if (isFinal && !signal.aborted) await failCapture(deps, capture.id, reasonOf(error))
      else {
        await truncateRecord(deps, capture.id)
        await transcriptCaptures.update(capture.id, { status: 'queued', record_size: null })
      }
      if (!isHopeless) throw error
    }
  }
  if (capture.source === 'inline') await rm(capture.path, { force: true, maxRetries: 5 })
  await scoreSession(deps, { agentId: capture.agent_id, sessionKey: capture.session_key })
}

/**
 * Of several daemons one at a time captures a session, in the order of the receipts: otherwise both would
 * write after the same message, and an older part would come too late.
 * @throws Error when another one is still at work
 */
async function takeTurn(
  { store }: Pick<Deps, 'store'>,
  capture: CaptureRow,
  signal: AbortSignal,
): Promise<void> {
  const { own } = store.tables.nodes
  const end = performance.now() + turnMs
  const mayBegin = async ({ transcriptCaptures }: Pick<Tables, 'transcriptCaptures'>): Promise<boolean> => {
    const before = own === null ? undefined : await transcriptCaptures.elsewhere(capture, own)
    // A daemon may be paused, or gone without a word.
    return before === undefined || (before === 'queued' && performance.now() > end)
  }
  const begin = (): Promise<boolean> =>
    store.write({ until: 'committed' }, async tables => {
      if (!(await mayBegin(tables))) return false
      await tables.transcriptCaptures.update(capture.id, { status: 'running' })
      return true
    })
  while (!((await mayBegin(store.tables)) && (await begin()))) {
    signal.throwIfAborted()
    if (performance.now() > end) throw new Error('another daemon captures the same session')
    await delay(turnPauseMs)
  }
}

/**
 * Truncates the harness's record to its size before the capture, while no later capture has written there.
 */
async function truncateRecord(
  deps: Pick<Daemon, 'store' | 'paths'>,
  id: string,
): Promise<CaptureRow | undefined> {
  const row = await deps.store.tables.transcriptCaptures.find(id)
  if (row && row.record_size !== null) await truncateFile(recordFile(deps, row.harness), row.record_size)
  return row
}

/** Marks a capture as failed and removes what it wrote. */
async function failCapture(deps: Deps, id: string, error: string): Promise<void> {
  const row = await truncateRecord(deps, id)
  await deps.store.tables.transcriptCaptures.update(id, {
    status: 'failed',
    error,
    record_size: null,
    completed_at: deps.clock().toISOString(),
    stale_body_id: row?.body_id ?? null,
  })
}

/**
 * Truncates records half written before a crash. Nothing was appended since, and no capture runs during this
 * call.
 */
export async function truncateHalfWritten(deps: Pick<Daemon, 'store' | 'paths'>): Promise<void> {
  const { transcriptCaptures } = deps.store.tables
  for (const { id, status } of await transcriptCaptures.halfWritten(deps.store.tables.nodes.own)) {
    if (status === 'running') await truncateRecord(deps, id)
    await transcriptCaptures.update(id, { record_size: null })
  }
}

/** Cleans up after crashes: captures whose last attempt ended the process, and files without a receipt. */
async function cleanUpAfterCrash(deps: Deps): Promise<void> {
  const { transcriptCaptures } = deps.store.tables
  await truncateHalfWritten(deps)
  for (const id of await transcriptCaptures.withoutJob())
    await failCapture(deps, id, 'the daemon stopped unexpectedly on every attempt')
  for (const file of await filesIn(deps.paths.captures)) {
    const capture = await transcriptCaptures.find(basename(file, '.jsonl'))
    const isOld = deps.clock().getTime() - (await stat(file)).mtimeMs > orphanAgeMs
    if (capture ? capture.status === 'completed' : isOld) await rm(file, { force: true, maxRetries: 5 })
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.map(name => join(folder, name))
}

/** The reason for callers, without paths or content. */
function reasonOf(error: unknown): string {
  if (error instanceof UncapturableTranscript || error instanceof UnreadableTranscript) return error.message
  const { code } = error as NodeJS.ErrnoException
  return code ? `it failed with ${code}; see the log` : 'it failed; see the log'
}

/**
 * Rescans transcripts judged with another version of the content safety policy (rules.md 1.6). The version in
 * each row marks progress. No capture may run during the call.
 * @throws the reason of the signal
 */
async function rejudgeTranscripts(deps: RejudgeTranscriptsDeps, signal: AbortSignal): Promise<void> {
  const { transcripts } = deps.store.tables
  let scanned = 0
  for (
    let row = await transcripts.outdated(policyVersion);
    row;
    row = await transcripts.outdated(policyVersion)
  ) {
    await rejudge(deps, row, signal)
    scanned++
  }
  if (scanned > 0)
    deps.log.info({ scanned, policy: policyVersion }, 'transcripts rescanned for the current safety policy')
}

async function rejudge(deps: RejudgeTranscriptsDeps, row: TranscriptRow, signal: AbortSignal): Promise<void> {
  const { transcriptChunks, transcripts } = deps.store.tables
  const verdict: Verdict = { status: 'clean', reasons: new Set() }
  for (let from = 0; ; ) {
    signal.throwIfAborted()
    const page = await transcriptChunks.of(row.body_id, { from }, pageSize)
    const last = page.at(-1)
    if (!last) break
    const shown = page.filter(({ last_position }) => last_position < row.messages)
    await rejudgePage(deps, shown, verdict)
    await deps.transcriptIndex.update(row.body_id, { from, to: last.chunk + 1 })
    from = last.chunk + 1
  }
  await transcripts.judge(row, verdictColumns(verdict, deps.clock().toISOString()))
}

async function rejudgePage(
  deps: RejudgeTranscriptsDeps,
  page: readonly ChunkToIndex[],
  verdict: Verdict,
): Promise<void> {
  const chunks = []
  for (const row of page) {
    chunks.push({ ...row, text: (await loadChunk(deps.store, row)).text })
    await deps.budget.breathe()
  }
  const judged = await judgeChunks(deps, chunks, verdict)
  const changed = judged.flatMap((chunk, at) => {
    const row = page[at] as ChunkToIndex
    return chunk.safety_status === row.safety_status ? [] : [{ row, chunk }]
  })
  if (changed.length > 0) await put(deps, changed)
}

async function put(
  { store }: RejudgeTranscriptsDeps,
  changed: readonly { row: ChunkToIndex; chunk: JudgedChunk }[],
): Promise<void> {
  await store.write({ until: 'committed' }, tables =>
    putChunks(
      tables,
      changed.map(({ row, chunk }) => ({
        body_id: row.body_id,
        chunk: row.chunk,
        first_position: row.first_position,
        first_offset: row.first_offset,
        last_position: row.last_position,
        last_end: row.last_end,
        removed: row.removed,
        safety_status: chunk.safety_status,
      })),
    ),
  )
}
