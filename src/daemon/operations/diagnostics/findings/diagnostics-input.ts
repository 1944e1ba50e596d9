import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { SurveyWithIndexes } from '../survey/surveys.js'

/** The data that a domain is judged by. */
export interface DiagnosticsInput {
  daemon: Daemon
  survey: SurveyWithIndexes
  now: Date
  /** The caller may see one agent, project or author only: findings name no others. */
  confined: boolean
}

/** Seconds since an ISO time; null without one. */
export function ageSec(now: Date, at: string | null | undefined): number | null {
  return at ? Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000)) : null
}

/** True for a credential confined to an agent, project or author. */
export function isConfined({ access: { scope } }: Caller): boolean {
  return Object.values(scope).some(value => value !== undefined)
}
