import { Flags } from '@oclif/core'
import { CliError } from './cli-error.js'

const name = 'i-know-this-is-open'

/** The second word that mode local needs to listen on an address that other machines reach. */
export const openFlag = {
  [name]: Flags.boolean({
    summary: 'Let mode local listen on an address that other machines reach: they may do everything.',
  }),
}

export interface OpenFlags {
  [name]?: boolean
}

/** @throws CliError `remote_daemon`: a daemon named by SERVICE_DAEMON_URL is run by somebody else. */
export function requireOwnDaemon(): void {
  const url = process.env.SERVICE_DAEMON_URL
  if (!url) return
  throw new CliError(`SERVICE_DAEMON_URL points at ${url}: that daemon is not started or stopped from here`, {
    code: 'remote_daemon',
    exit: 'usage',
    nextSteps: ['unset SERVICE_DAEMON_URL'],
  })
}

/** What the daemon process is told. */
export function daemonFlags(flags: OpenFlags): string[] {
  return flags[name] ? [`--${name}`] : []
}
