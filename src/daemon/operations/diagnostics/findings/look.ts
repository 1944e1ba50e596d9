import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Surveyed } from '../survey/surveys.js'

/** What a domain is judged by. */
export interface Look {
  daemon: Daemon
  survey: Surveyed
  now: Date
  /** Whoever asks sees one agent, project or person only: nobody else is named. */
  confined: boolean
}

/** Seconds since an ISO time; null without one. */
export function ageSec(now: Date, at: string | null | undefined): number | null {
  return at ? Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000)) : null
}

/** Whether a credential sees one agent, project or author alone. */
export function isConfined({ access: { scope } }: Caller): boolean {
  return Object.values(scope).some(value => value !== undefined)
}
