import { dayMs } from '../../../lib/time/time.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { writeSummary } from '../../../store/files/summary-file.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { PipelinePaused } from '../../ground/jobs/background-work.js'
import { type JobKind, newJob } from '../../ground/jobs/job-kind.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import { agentBoundary } from '../../ground/visibility/boundary.js'
import { defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createJobWorker, type JobWorker, type JobWorkerDeps } from '../../platform/jobs/job-worker.js'
import { createPeriodicWork, hasNodeDuty, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import { project } from './projection.js'
import { plainSummary } from './sections.js'

/** Writes MEMORY.md; the job's subject is its agent. */
export const synthesisJob: JobKind = { kind: 'synthesis', maxAttempts: 5 }
const periods = { daily: dayMs, weekly: 7 * dayMs } as const

type Deps = Pick<
  Daemon,
  'store' | 'clock' | 'projects' | 'log' | 'configuration' | 'newId' | 'paths' | 'background'
> &
  JobWorkerDeps

/**
 * Writes MEMORY.md with durable jobs, and on the schedule in the settings, counted across restarts (rules.md
 * 4.10 and 4.12). Nothing is written while writes are frozen or Dreaming is paused.
 */
export function createSynthesisWorker(deps: Deps, timers: Timers = systemTimers): JobWorker {
  const jobs = createJobWorker(deps, {
    job: synthesisJob,
    batchSize: 1,
    timers,
    // Of several daemons one has the file.
    ready: async () => mayWrite(deps) && hasNodeDuty(deps, 'synthesis'),
    run: (_jobs, signal) => deps.background.run(either => synthesize(deps, either), signal),
    isOutage: error => error instanceof PipelinePaused,
  })
  const schedule = createPeriodicWork({
    run: async () => {
      if (await queueWhenDue(deps)) jobs.wake()
    },
    onError: error => deps.log.warn({ err: error }, 'schedule check of MEMORY.md failed'),
    timers,
  })
  return {
    ...jobs,
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

/** MEMORY.md is not a memory, so it is written in every mode except frozen and paused. */
function mayWrite({ configuration }: Deps): boolean {
  return !['frozen', 'paused'].includes(pipelineMode(configuration().settings))
}

/** Queues writing MEMORY.md unless a job is already waiting. @returns the id of the job. */
export async function queueSynthesis({
  store,
  clock,
  newId,
}: Pick<Deps, 'store' | 'clock' | 'newId'>): Promise<string> {
  return store.transaction(async ({ jobs }) => {
    const job = newJob({ newId }, synthesisJob, defaultAgent)
    return jobs.enqueue(job, clock().toISOString())
  })
}

/** Queues a rewrite of MEMORY.md after content it may contain was removed, if it was written before. */
export async function renewSummary(deps: Pick<Daemon, 'store' | 'clock' | 'newId' | 'wake'>): Promise<void> {
  if ((await deps.store.tables.meta.lastDone('synthesis')) === undefined) return
  await queueSynthesis(deps)
  deps.wake(synthesisJob)
}

async function queueWhenDue(deps: Deps): Promise<boolean> {
  const { schedule } = deps.configuration().settings.memory.synthesis
  if (schedule === 'on-demand' || !mayWrite(deps)) return false
  const { summaryNodes, memories } = deps.store.tables
  const period = periods[schedule]
  const due = await isDue(deps, 'synthesis', period)
  if (due === false || !(await hasNodeDuty(deps, 'synthesis'))) return false
  if (due === 'never' && (await summaryNodes.newest({ agentId: defaultAgent }, 1)).length === 0) {
    const oldest = await memories.oldestAt()
    if (!oldest || deps.clock().getTime() - Date.parse(oldest) < period) return false
  }
  await queueSynthesis(deps)
  return true
}

/** An aborted run writes nothing; its job runs again later. */
async function synthesize(deps: Deps, signal: AbortSignal): Promise<void> {
  const { max_tokens: maxTokens } = deps.configuration().settings.memory.synthesis
  const boundary = globalRows(await agentBoundary(deps, defaultAgent))
  const { prompt } = await project(deps, { agentId: defaultAgent, boundary }, maxTokens)
  signal.throwIfAborted()
  const outcome = await writeSummary(deps.paths.summary, `# Memory\n\n${plainSummary(prompt)}`)
  await noteDone(deps, 'synthesis')
  deps.log.info({ outcome, characters: prompt.length }, 'MEMORY.md synthesis finished')
}

/** MEMORY.md is shared by all agents of a workspace and may be committed, so it excludes private rows. */
function globalRows({ agents, globalOf }: ReadBoundary): ReadBoundary {
  return { agents: [], globalOf: globalOf === 'all' ? 'all' : [...globalOf, ...agents] }
}
