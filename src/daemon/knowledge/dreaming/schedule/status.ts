import type { Reply } from '../../../../contract/api.js'
import type { DreamPass } from '../../../../contract/knowledge/dreaming.js'
import type { DreamPassRow } from '../../../../store/tables/knowledge/dreaming.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { spentToday } from '../pass/pass-record.js'
import { currentReader } from '../provider/provider-reader.js'
import { dreamingJob, dreamingSubject, periodMsOf } from './dreaming-worker.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration' | 'inference' | 'background'>

const shownPasses = 10

/** `GET /api/dream/status` (knowledge.md#dreaming). */
export async function dreamStatus(deps: Deps): Promise<Reply<'GET /api/dream/status'>> {
  const { settings } = deps.configuration()
  const { enabled, schedule, maxTokensPerPass: perPass, maxTokensPerDay: perDay } = settings.dreaming
  const { attentions, dreamPasses, jobs, meta } = deps.store.tables
  const passes = await dreamPasses.newest(shownPasses)
  const spent = await spentToday(deps)
  const lastAt = (await meta.lastDone('dreaming')) ?? null
  const next =
    lastAt === null || schedule === 'on-demand'
      ? undefined
      : Date.parse(lastAt) + periodMsOf(settings, schedule)
  return {
    mode: pipelineMode(settings),
    enabled,
    schedule,
    reader: currentReader(deps).name,
    running: passes.some(({ ended_at }) => ended_at === null),
    jobId: (await jobs.openJob(dreamingJob.kind, dreamingSubject)) ?? null,
    passes: passes.map(toPass),
    queue: Object.fromEntries((await attentions.countWaiting()).map(({ kind, waiting }) => [kind, waiting])),
    budget: { perPass, perDay, spentToday: spent, leftToday: Math.max(0, perDay - spent) },
    lastAt,
    nextAt: enabled && next !== undefined ? new Date(next).toISOString() : null,
  }
}

function toPass(row: DreamPassRow): DreamPass {
  return {
    id: row.id,
    jobId: row.job_id,
    mode: row.mode,
    reader: row.reader,
    outcome: row.outcome as DreamPass['outcome'],
    outcomeCode: row.outcome_code,
    counts: JSON.parse(row.counts) as Record<string, number>,
    calls: row.calls,
    tokensInput: row.tokens_input,
    tokensOutput: row.tokens_output,
    cost: row.cost,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}
