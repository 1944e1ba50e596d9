import { Flags } from '@oclif/core'
import { CliError } from './cli-error.js'

const name = 'i-know-this-is-open'

/** Confirms that mode local may listen on an address that other machines can reach. */
export const openFlag = {
  [name]: Flags.boolean({
    summary: 'Allow mode local on an address that other machines can reach, which gives them full access.',
  }),
}

export interface OpenFlags {
  [name]?: boolean
}

/** @throws CliError `remote_daemon`, because a daemon of SERVICE_DAEMON_URL is managed elsewhere. */
export function requireOwnDaemon(): void {
  const url = process.env.SERVICE_DAEMON_URL
  if (!url) return
  throw new CliError(
    `SERVICE_DAEMON_URL points to ${url}: that daemon cannot be started or stopped from here`,
    {
      code: 'remote_daemon',
      exit: 'usage',
      nextSteps: ['unset SERVICE_DAEMON_URL'],
    },
  )
}

/** Returns the arguments of the daemon process. */
export function daemonFlags(flags: OpenFlags): string[] {
  return flags[name] ? [`--${name}`] : []
}
