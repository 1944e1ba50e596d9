import type { Reply } from '../../../../contract/api.js'
import type { Settings } from '../../../../contract/settings.js'
import { dayMs, hourMs } from '../../../../lib/time/time.js'
import { systemTimers, type Timers } from '../../../../lib/time/timers.js'
import { isEnabled } from '../../../ground/inference/inference.js'
import { PipelinePaused } from '../../../ground/jobs/background-work.js'
import { type JobKind, newJob } from '../../../ground/jobs/job-kind.js'
import { isPipelineOpen, pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createJobWorker, type JobWorker } from '../../../platform/jobs/job-worker.js'
import { createPeriodicWork, hasDuty, isDue, noteDone } from '../../../platform/jobs/periodic-work.js'
import { frontierOf, hasOtherRules } from '../evidence/evidence.js'
import { type DreamingPassDeps, PassStopped } from '../pass/pass.js'

/** One pass; all passes have the same subject, so only one is open at a time. */
export const dreamingJob: JobKind = { kind: 'dreaming', maxAttempts: 5, workload: 'dreaming' }
export const dreamingSubject = 'workspace'

/** Rules cost no tokens, and people soon ask for what they saved. */
const byRulesMs = 300_000

/** Attentions of imports, which do not wait for the schedule. */
const importKinds = ['new_evidence', 'hygiene']

/**
 * Creates the worker that reads new texts in jobs that survive the process, on the configured schedule and
 * after imports (knowledge.md#dreaming). It does nothing while the pipeline is frozen, paused or off.
 */
export function createDreamingWorker(daemon: DreamingPassDeps, timers: Timers = systemTimers): JobWorker {
  const state = { hasMore: false, stop: new AbortController() }
  const ready = () => mayDream(daemon)
  const jobs = createJobWorker(daemon, {
    job: dreamingJob,
    batchSize: 1,
    timers,
    ready,
    run: async ([job], signal) => {
      const { runPass } = await import('./run-pass.js')
      state.stop = new AbortController()
      const either = AbortSignal.any([signal, state.stop.signal])
      const pass = (any: AbortSignal) => runPass(daemon, { jobId: job!.id, signal: any, mayGoOn: ready })
      state.hasMore = (await daemon.background.run(pass, either)).hasMore
    },
    // A pass ends early enough to keep its lease; the next one reads the rest.
    refill: async signal => {
      if (!state.hasMore || signal.aborted) return false
      state.hasMore = false
      await queuePass(daemon)
      return true
    },
    isOutage: error => error instanceof PassStopped || error instanceof PipelinePaused,
  })
  const schedule = createPeriodicWork({
    run: async () => {
      if (ready() && (await hasDuty(daemon, 'dreaming')) && (await isWanted(daemon))) await queuePass(daemon)
      jobs.wake()
    },
    onError: error => daemon.log.warn({ err: error }, 'Dreaming schedule not checked'),
    timers,
  })
  return {
    ...jobs,
    hear: event => {
      // Model requests are cancelled at once instead of waiting for the answer.
      if (event === 'configured' && !ready()) state.stop.abort(new PassStopped('not_open'))
      jobs.hear?.(event)
    },
    start: () => {
      jobs.wake()
      schedule.start()
    },
    close: async () => {
      await schedule.close()
      await jobs.close()
    },
  }
}

/**
 * Queues a pass unless one is already queued or running.
 * @returns the id of its job
 */
function queuePass({ store, clock, newId }: Pick<Daemon, 'store' | 'clock' | 'newId'>): Promise<string> {
  return store.transaction(({ jobs }) =>
    jobs.enqueue(newJob({ newId }, dreamingJob, dreamingSubject), clock().toISOString()),
  )
}

function mayDream({ configuration }: Pick<Daemon, 'configuration'>): boolean {
  const { settings } = configuration()
  return settings.dreaming.enabled && isPipelineOpen(settings)
}

/** Milliseconds from one pass of a schedule to the next (knowledge.md#dreaming). */
export function periodMsOf(settings: Settings, schedule: 'hourly' | 'daily'): number {
  if (schedule === 'daily') return dayMs
  return isEnabled(settings, 'dreaming') ? hourMs : byRulesMs
}

/**
 * True if the schedule is due and there is something new; the first pass comes one period after the first
 * check.
 */
async function isWanted(deps: DreamingPassDeps): Promise<boolean> {
  const { attentions, meta } = deps.store.tables
  const { settings } = deps.configuration()
  const { schedule } = settings.dreaming
  const isShadow = pipelineMode(settings) === 'shadow'
  if (schedule === 'on-demand') return false
  const due = await isDue(deps, 'dreaming', periodMsOf(settings, schedule))
  if (due === 'never') {
    await noteDone(deps, 'dreaming')
    return false
  }
  const waiting = isShadow ? [] : await attentions.due(deps.clock().toISOString(), 50)
  if (waiting.some(({ kind, attempts }) => attempts === 0 && importKinds.includes(kind))) return true
  if (!due) return false
  const isNew =
    (await frontierOf(meta, 'dream-seen', isShadow)) !== (await meta.lastChange()) ||
    (!isShadow && (await hasOtherRules(meta)))
  if (!isNew && waiting.length === 0) await noteDone(deps, 'dreaming')
  return isNew || waiting.length > 0
}

/** Queues a pass now. While one is queued or running, its job is returned. */
export async function triggerPass(
  daemon: Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'wake'>,
): Promise<Reply<'POST /api/dream/trigger'>> {
  const { settings } = daemon.configuration()
  const mode = pipelineMode(settings)
  if (!settings.dreaming.enabled || mode === 'disabled') return { status: 'disabled' }
  if (mode === 'paused') return { status: 'paused' }
  const jobId = await queuePass(daemon)
  daemon.wake(dreamingJob)
  return { status: 'queued', jobId }
}
