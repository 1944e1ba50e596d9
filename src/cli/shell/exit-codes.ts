import { exitNoDriver } from '../../lib/workspace/driver-fault.js'

/**
 * Exit codes of every command (docs/commands.md is generated from this table). They let a script distinguish
 * "ask differently" (2, 3, 4) from "try again later" (5) without parsing a message.
 */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failure: { code: 1, meaning: 'failed for any other reason' },
  usage: { code: 2, meaning: 'the command line or one of its values is invalid' },
  notFound: { code: 3, meaning: 'not found' },
  refused: {
    code: 4,
    meaning: 'refused: a conflict, a missing permission, or frozen writes',
  },
  unavailable: { code: 5, meaning: 'the daemon is not running, could not be started or does not answer' },
  findings: { code: 6, meaning: 'doctor found problems' },
  driver: { code: exitNoDriver, meaning: 'no SQLite driver loads with this Node' },
  cancelled: { code: 130, meaning: 'cancelled by the user (Ctrl-C or answered no)' },
} as const

export type ExitName = keyof typeof exitCodes

const byErrorCode: Readonly<Record<string, ExitName>> = {
  daemon_unavailable: 'unavailable',
  daemon_not_started: 'unavailable',
  foreign_process: 'unavailable',
  launch_failed: 'unavailable',
  no_driver: 'driver',
  timeout: 'unavailable',
  connection_lost: 'unavailable',
  starting: 'unavailable',
  overloaded: 'unavailable',
  rate_limited: 'unavailable',
  mutations_frozen: 'refused',
  invalid_environment: 'usage',
}

const byStatus: Readonly<Record<number, ExitName>> = {
  400: 'usage',
  401: 'refused',
  403: 'refused',
  404: 'notFound',
  409: 'refused',
  410: 'notFound',
  413: 'usage',
}

/** Returns the exit code of a failed call, from its stable code or else from its HTTP status. */
export function exitCodeOf({ code, status }: { code: string; status: number }): number {
  return exitCodes[byErrorCode[code] ?? byStatus[status] ?? 'failure'].code
}
