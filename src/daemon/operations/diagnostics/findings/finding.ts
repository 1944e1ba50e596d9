import type {
  DiagnosticsFinding,
  HealthStatus,
  Severity,
} from '../../../../contract/operations/diagnostics-domains.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Damage } from '../facts/damage.js'
import type { SurveyWithIndexes } from '../survey/surveys.js'

/** Default penalty of a finding on the score of its domain, by severity. */
const penalties: Readonly<Record<Severity, number>> = { ok: 0, info: 0, warning: 0.25, error: 0.6 }
/** Cap on the penalty of all warnings: warnings alone don't make a working domain unhealthy. */
const mostOfWarnings = 0.5
const healthyFrom = 0.8
const degradedFrom = 0.5

export type NewFinding = Omit<DiagnosticsFinding, 'penalty'> & { penalty?: number }

/** The data that a domain is judged by. */
export interface DiagnosticsInput {
  daemon: Daemon
  survey: SurveyWithIndexes
  now: Date
  /** The caller may see one agent, project or author only: findings name no others. */
  confined: boolean
}

/** @returns the finding with its penalty. */
export function finding(given: NewFinding): DiagnosticsFinding {
  const { penalty = penalties[given.severity], ...rest } = given
  return { ...rest, penalty }
}

/** A finding without a problem. */
export const fine = (id: string, evidence: string): DiagnosticsFinding =>
  finding({ id, severity: 'ok', evidence })

/** A finding for damaged rows of one kind. @returns an empty list when there are none. */
export function damageFinding(
  damage: readonly Damage[],
  id: string,
  say: (count: number) => string,
  rest: Partial<Pick<NewFinding, 'severity' | 'fix' | 'repair' | 'penalty'>> = {},
): DiagnosticsFinding[] {
  const found = damage.find(one => one.id === id)
  if (!found) return []
  const { count, samples } = found
  return [finding({ id, severity: 'warning', evidence: say(count), count, samples, ...rest })]
}

export interface DomainScore {
  score: number
  status: HealthStatus
  findings: DiagnosticsFinding[]
}

/** The score of a domain: 1 minus the penalties of its findings. */
export function scored(findings: readonly DiagnosticsFinding[]): DomainScore {
  const off = (severity: Severity) =>
    findings.filter(one => one.severity === severity).reduce((sum, { penalty }) => sum + penalty, 0)
  const score = rounded(
    Math.max(0, 1 - off('info') - Math.min(mostOfWarnings, off('warning')) - off('error')),
  )
  return { score, status: statusOf(score), findings: [...findings] }
}

export function statusOf(score: number): HealthStatus {
  if (score >= healthyFrom) return 'healthy'
  return score >= degradedFrom ? 'degraded' : 'unhealthy'
}

export function rounded(score: number): number {
  return Math.round(score * 1000) / 1000
}

/** Seconds since an ISO time; null without one. */
export function ageSec(now: Date, at: string | null | undefined): number | null {
  return at ? Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000)) : null
}

/** True for a credential confined to an agent, project or author. */
export function isConfined({ access: { scope } }: Caller): boolean {
  return Object.values(scope).some(value => value !== undefined)
}
