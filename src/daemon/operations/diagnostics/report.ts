import type { DiagnosticsReport, DomainName, Workloads } from '../../../contract/operations/diagnostics.js'
import type { DiagnosticsFinding } from '../../../contract/operations/diagnostics-domains.js'
import { oldestOf } from '../../../lib/concurrency/in-flight.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { maxMcpInFlight } from '../../platform/mcp/register-mcp.js'
import { connectorDomain } from './domains/connectors.js'
import { duplicateDomain } from './domains/duplicates.js'
import { graphDomain } from './domains/graph.js'
import { harnessDomain } from './domains/harnesses.js'
import { mutationDomain } from './domains/mutation.js'
import { providerDomain } from './domains/provider.js'
import { queueDomain } from './domains/queue.js'
import { indexDomain } from './domains/search-index.js'
import { storageDomain } from './domains/storage.js'
import { updateDomain } from './domains/update.js'
import { type DiagnosticsInput, type DomainScore, isConfined, rounded, statusOf } from './findings/finding.js'
import { healthFigure } from './health.js'
import { surveysOf } from './survey/surveys.js'

export type SurveyQuery = NamedAgent & { refresh: boolean }

type Domains = Pick<DiagnosticsReport, DomainName>

const judges: { [Name in DomainName]: (look: DiagnosticsInput) => Domains[Name] | Promise<Domains[Name]> } = {
  queue: queueDomain,
  storage: storageDomain,
  index: indexDomain,
  provider: providerDomain,
  mutation: mutationDomain,
  duplicate: duplicateDomain,
  connector: connectorDomain,
  update: updateDomain,
  graph: graphDomain,
  openclaw: harnessDomain,
}

/** Weight of each domain in the composite: storage and index matter most. */
const weights: Readonly<Record<DomainName, number>> = {
  storage: 3,
  index: 2,
  queue: 1,
  provider: 1,
  mutation: 1,
  duplicate: 1,
  connector: 1,
  update: 1,
  graph: 1,
  openclaw: 1,
}

const names = Object.keys(judges) as DomainName[]

type Deps = Pick<Daemon, 'inference' | 'mcpRequests'>

/**
 * Every domain with its score and reasons (operations.md 3.1).
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
export async function diagnosticsReport(
  daemon: Daemon,
  caller: Caller,
  query: SurveyQuery,
): Promise<DiagnosticsReport> {
  const look = await lookFor(daemon, caller, query)
  const judged: [DomainName, Domains[DomainName]][] = []
  for (const name of names) judged.push([name, await judge(look, name)])
  const all = Object.fromEntries(judged) as unknown as Domains
  const { startedAt, tookMs, leftOut } = look.survey
  const composite = compositeOf(all)
  const health = { domains: all, checkedAt: startedAt, confined: look.confined }
  return {
    timestamp: look.now.toISOString(),
    survey: { startedAt, tookMs: Math.round(tookMs), complete: leftOut.length === 0, leftOut },
    ...all,
    composite,
    health: await healthFigure(daemon, composite, health),
    workloads: loadOf(daemon),
  }
}

/** One domain of the report, or the composite. @throws AppError as `diagnosticsReport` does. */
export async function diagnosticsDomain(
  daemon: Daemon,
  caller: Caller,
  query: SurveyQuery,
  domain: DomainName | 'composite',
) {
  if (domain !== 'composite') {
    const look = await lookFor(daemon, caller, query)
    return { domain, timestamp: look.now.toISOString(), ...(await judge(look, domain)) }
  }
  const { timestamp, composite } = await diagnosticsReport(daemon, caller, query)
  return { domain, timestamp, ...composite }
}

async function lookFor(daemon: Daemon, caller: Caller, query: SurveyQuery): Promise<DiagnosticsInput> {
  agentOf(caller, query)
  const surveys = surveysOf(daemon)
  return {
    daemon,
    survey: await (query.refresh ? surveys.fresh() : surveys.newest()),
    now: daemon.clock(),
    confined: isConfined(caller),
  }
}

async function judge<Name extends DomainName>(look: DiagnosticsInput, name: Name): Promise<Domains[Name]> {
  const report = await judges[name](look)
  return look.confined ? { ...report, findings: report.findings.map(withoutSamples) } : report
}

function withoutSamples({ samples: _samples, ...rest }: DiagnosticsFinding): DiagnosticsFinding {
  return rest
}

/** The weighted mean of all scores, capped by the status of the worst domain. */
function compositeOf(
  all: Record<DomainName, Pick<DomainScore, 'score' | 'status'>>,
): DiagnosticsReport['composite'] {
  const parts = names.map(domain => ({
    domain,
    score: all[domain].score,
    status: all[domain].status,
    weight: weights[domain],
  }))
  const weight = parts.reduce((sum, part) => sum + part.weight, 0)
  const mean = parts.reduce((sum, part) => sum + part.score * part.weight, 0) / weight
  const worst = Math.min(...parts.map(({ score }) => score))
  const status = statusOf(worst)
  return { score: rounded(Math.min(mean, ceilings[status])), status, parts }
}

/** Caps keep the composite below healthy while a domain is not. */
const ceilings = { healthy: 1, degraded: 0.79, unhealthy: 0.49 } as const

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
function loadOf({ inference, mcpRequests }: Deps): DiagnosticsReport['workloads'] {
  const { inFlight, waiting } = inference().state()
  return { inference: inFlight, inferenceWaiting: waiting, mcp: mcpRequests.all().length }
}
