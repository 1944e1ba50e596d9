import { CliError } from './cli-error.js'

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
