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
import { createPeriodicWork, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import { project } from './projection.js'

/** Writes MEMORY.md; its subject is the agent that it is for. */
export const synthesisJob: JobKind = { kind: 'synthesis', maxAttempts: 5 }
const periods = { daily: dayMs, weekly: 7 * dayMs } as const

type Deps = Pick<
  Daemon,
  'store' | 'clock' | 'projects' | 'log' | 'configuration' | 'newId' | 'paths' | 'background'
> &
  JobWorkerDeps

/**
 * Writes MEMORY.md by jobs, which outlive the process, and on the schedule of the settings, counted across restarts
 * (rules.md 4.10 and 4.12). Nothing is written while mutations are frozen or the pipeline is paused.
 */
export function createSynthesisWorker(deps: Deps, timers: Timers = systemTimers): JobWorker {
  const jobs = createJobWorker(deps, {
    job: synthesisJob,
    batchSize: 1,
    timers,
    ready: () => mayWrite(deps),
    run: (_jobs, signal) => deps.background.run(either => synthesize(deps, either), signal),
    isOutage: error => error instanceof PipelinePaused,
  })
  const schedule = createPeriodicWork({
    run: async () => {
      if (await queueWhenDue(deps)) jobs.wake()
    },
    onError: error => deps.log.warn({ err: error }, 'MEMORY.md not looked at'),
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

/** MEMORY.md is no memory: it is written in every mode but those in which nothing is to be written, or all stands still. */
function mayWrite({ configuration }: Deps): boolean {
  return !['frozen', 'paused'].includes(pipelineMode(configuration().settings))
}

/** Queues the writing of MEMORY.md; one that waits already is enough. @returns the id of its job. */
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

/** Has MEMORY.md written anew after something it may tell was taken away; one that was never written is not. */
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
  if (due === false) return false
  if (due === 'never' && (await summaryNodes.newest({ agentId: defaultAgent }, 1)).length === 0) {
    const oldest = await memories.oldestAt()
    if (!oldest || deps.clock().getTime() - Date.parse(oldest) < period) return false
  }
  await queueSynthesis(deps)
  return true
}

/** What is aborted writes nothing; the job is done again when it may be. */
async function synthesize(deps: Deps, signal: AbortSignal): Promise<void> {
  const { max_tokens: maxTokens } = deps.configuration().settings.memory.synthesis
  const boundary = globalRows(await agentBoundary(deps, defaultAgent))
  const { prompt } = await project(deps, { agentId: defaultAgent, boundary }, maxTokens)
  signal.throwIfAborted()
  const outcome = await writeSummary(deps.paths.summary, `# Memory\n\n${prompt}`)
  await noteDone(deps, 'synthesis')
  deps.log.info({ outcome, characters: prompt.length }, 'MEMORY.md')
}

/** MEMORY.md is shared by all agents of a workspace and may be committed: private rows stay out of it. */
function globalRows({ agents, globalOf }: ReadBoundary): ReadBoundary {
  return { agents: [], globalOf: globalOf === 'all' ? 'all' : [...globalOf, ...agents] }
}
