import type { DiagnosticsReport, Workloads } from '../../../contract/operations/diagnostics.js'
import { oldestOf } from '../../../lib/concurrency/in-flight.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { maxMcpInFlight } from '../../platform/mcp/register-mcp.js'

type Deps = Pick<Daemon, 'inference' | 'mcpRequests'>

/**
 * Work in progress for one agent: language model requests it waits for, and MCP requests. Background work
 * belongs to no agent and appears in the full report only.
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
export function workloadsOf(deps: Deps, caller: Caller, query: NamedAgent): Workloads {
  const agentId = agentOf(caller, query) ?? defaultAgent
  const questions = deps
    .inference()
    .open()
    .filter(({ about }) => about.asker?.agentId === agentId)
  const inSessions = questions.filter(({ about }) => about.asker?.inSession)
  const byOperation: Record<string, number> = {}
  for (const { about } of questions) byOperation[about.use] = (byOperation[about.use] ?? 0) + 1
  const requests = deps.mcpRequests.all().filter(({ about }) => about.agentId === agentId)
  return {
    agentId,
    inference: {
      active: questions.length,
      agentSessions: inSessions.length,
      oldestAgeMs: oldestOf(questions),
      oldestAgentSessionAgeMs: oldestOf(inSessions),
      byOperation,
    },
    mcp: { inFlight: requests.length, oldestAgeMs: oldestOf(requests), maxInFlight: maxMcpInFlight },
  }
}

/** Work in progress for all agents, as totals. */
export function loadOf({ inference, mcpRequests }: Deps): DiagnosticsReport['workloads'] {
  const { inFlight, waiting } = inference().state()
  return { inference: inFlight, inferenceWaiting: waiting, mcp: mcpRequests.all().length }
}
