import { workspacePaths } from '../../lib/workspace/paths.js'
import { readSecret } from '../../lib/workspace/secret-file.js'
import { signToken } from '../../lib/workspace/signed-token.js'

const lifeSeconds = 60

/**
 * Signs an admin token of one minute with the workspace's secret. Read access to that 0600 file proves that
 * this process belongs to the workspace's owner (rules.md#process-and-files).
 * @returns undefined if the secret is missing (mode local) or unreadable, or if SERVICE_DAEMON_URL is set.
 */
export function ownCredential(workspace?: string): string | undefined {
  if (process.env.SERVICE_DAEMON_URL) return undefined
  const secret = readSecret(workspacePaths(workspace).authSecret)
  const iat = Math.floor(Date.now() / 1000)
  return secret && signToken(secret, { sub: 'cli', role: 'admin', iat, exp: iat + lifeSeconds })
}
