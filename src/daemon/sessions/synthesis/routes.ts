import type {
  SynthesisBody,
  SynthesisConfig,
  SynthesisGone,
  SynthesisReply,
} from '../../../contract/sessions/summaries.js'
import * as contract from '../../../contract/sessions/summaries.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { project, recentDays } from './projection.js'
import { queueSynthesis, synthesisJob } from './synthesis-worker.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects' | 'configuration'>

/** Author of MEMORY.md unless the settings name a harness. */
const ownHarness = 'memory-service'

/** Reply of the retired endpoint with which harnesses could submit their own text (rules.md 4.10 and 9). */
const synthesisGone: SynthesisGone = {
  status: 'gone',
  version: 1,
  retired: 'POST /api/hooks/synthesis/complete',
  replacement: { method: 'POST', path: '/api/synthesis/trigger' },
  changed: false,
}

export const routes = [
  route(contract.synthesisConfig, daemon => synthesisConfig(daemon)),
  route(contract.synthesis, (daemon, { caller, body }) => synthesis(daemon, caller, body)),
  route(contract.synthesisComplete, async () => synthesisGone),
  route(contract.triggerSynthesis, async daemon => {
    const jobId = await queueSynthesis(daemon)
    daemon.wake(synthesisJob)
    return { status: 'queued' as const, jobId }
  }),
]

async function synthesisConfig({ store, configuration }: Deps): Promise<SynthesisConfig> {
  const { harness, model, schedule, max_tokens: maxTokens } = configuration().settings.memory.synthesis
  return {
    harness: harness ?? ownHarness,
    model,
    schedule,
    maxTokens,
    thresholds: { ledgerDays: recentDays, maxTokens },
    lastRunAt: (await store.tables.meta.lastDone('synthesis')) ?? null,
  }
}

/** Returns the content of MEMORY.md for one agent without changing anything (rules.md 4.10). */
async function synthesis(deps: Deps, caller: Caller, body: SynthesisBody): Promise<SynthesisReply> {
  const { harness, max_tokens: maxTokens } = deps.configuration().settings.memory.synthesis
  const agentId = agentOf(caller, body) ?? defaultAgent
  const scope = { agentId, boundary: await readBoundary(deps, caller, body) }
  return { harness: harness ?? ownHarness, model: 'projection', ...(await project(deps, scope, maxTokens)) }
}
