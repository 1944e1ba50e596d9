import { systemTimers, type Timers } from '../../../../lib/time/timers.js'
import { PipelinePaused } from '../../../ground/jobs/background-work.js'
import { type JobKind, newJob } from '../../../ground/jobs/job-kind.js'
import { isPipelineOpen, pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createJobWorker, type JobWorker } from '../../../platform/jobs/job-worker.js'
import { createPeriodicWork, isDue, noteDone } from '../../../platform/jobs/periodic-work.js'
import { frontierOf } from '../evidence/frontier.js'
import { type PassDeps, PassStopped } from '../pass/pass.js'

/** One pass; there is one open at a time, since all have one subject. */
export const dreamingJob: JobKind = { kind: 'dreaming', maxAttempts: 5, workload: 'dreaming' }
export const dreamingSubject = 'workspace'

export const periodsMs = { hourly: 3_600_000, daily: 86_400_000 } as const

/** Kinds of attentions that imports leave: they are not left to wait for the schedule. */
const brought = ['new_evidence', 'hygiene']

/**
 * Reads what was said since the last pass by jobs, which outlive the process, on the schedule of the settings and after
 * imports (knowledge.md#dreaming). Nothing is read while the pipeline is frozen, paused or off.
 */
export function createDreamingWorker(daemon: PassDeps, timers: Timers = systemTimers): JobWorker {
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
    // A pass ends after a while, so that its lease holds; what it left is the next one's.
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
      if (ready() && (await isWanted(daemon))) await queuePass(daemon)
      jobs.wake()
    },
    onError: error => daemon.log.warn({ err: error }, 'dreaming not looked at'),
    timers,
  })
  return {
    ...jobs,
    hear: event => {
      // What is asked of a model is given up at once, not when its answer comes.
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

/** Queues a pass; one that waits or runs is enough. @returns the id of its job. */
export function queuePass({
  store,
  clock,
  newId,
}: Pick<Daemon, 'store' | 'clock' | 'newId'>): Promise<string> {
  return store.transaction(({ jobs }) =>
    jobs.enqueue(newJob({ newId }, dreamingJob, dreamingSubject), clock().toISOString()),
  )
}

function mayDream({ configuration }: Pick<Daemon, 'configuration'>): boolean {
  const { settings } = configuration()
  return settings.dreaming.enabled && isPipelineOpen(settings)
}

/** Whether the schedule asks for a pass and there is something new; the first one comes a period after the first look. */
async function isWanted(deps: PassDeps): Promise<boolean> {
  const { attentions, meta } = deps.store.tables
  const { settings } = deps.configuration()
  const { schedule } = settings.dreaming
  const isShadow = pipelineMode(settings) === 'shadow'
  if (schedule === 'on-demand') return false
  const due = await isDue(deps, 'dreaming', periodsMs[schedule])
  if (due === 'never') {
    await noteDone(deps, 'dreaming')
    return false
  }
  const waiting = isShadow ? [] : await attentions.due(deps.clock().toISOString(), 50)
  if (waiting.some(({ kind, attempts }) => attempts === 0 && brought.includes(kind))) return true
  if (!due) return false
  const isNew = (await frontierOf(meta, 'dream-seen', isShadow)) !== (await meta.lastChange())
  if (!isNew && waiting.length === 0) await noteDone(deps, 'dreaming')
  return isNew || waiting.length > 0
}
