import type {
  SynthesisBody,
  SynthesisConfig,
  SynthesisGone,
  SynthesisReply,
} from '../../../contract/sessions/synthesis.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { project, recentDays } from './projection.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects' | 'configuration'>

/** Author of MEMORY.md unless the settings name a harness. */
const ownHarness = 'memory-service'

export async function synthesisConfig({ store, configuration }: Deps): Promise<SynthesisConfig> {
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
export async function synthesis(deps: Deps, caller: Caller, body: SynthesisBody): Promise<SynthesisReply> {
  const { harness, max_tokens: maxTokens } = deps.configuration().settings.memory.synthesis
  const agentId = agentOf(caller, body) ?? defaultAgent
  const scope = { agentId, boundary: await readBoundary(deps, caller, body) }
  return { harness: harness ?? ownHarness, model: 'projection', ...(await project(deps, scope, maxTokens)) }
}

/** Reply of the retired endpoint with which harnesses could submit their own text (rules.md 4.10 and 9). */
export const synthesisGone: SynthesisGone = {
  status: 'gone',
  version: 1,
  retired: 'POST /api/hooks/synthesis/complete',
  replacement: { method: 'POST', path: '/api/synthesis/trigger' },
  changed: false,
}
