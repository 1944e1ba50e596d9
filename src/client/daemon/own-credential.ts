import { workspacePaths } from '../../lib/workspace/paths.js'
import { readSecret } from '../../lib/workspace/secret-file.js'
import { signToken } from '../../lib/workspace/signed-token.js'

const lifeSeconds = 60

/**
 * Proves that this process may read the workspace's 0600 secret, which makes it the workspace's owner: an admin token
 * of one minute (rules.md#process-and-files).
 * @returns undefined when there is no secret (mode local), it may not be read, or somebody else runs the daemon.
 */
export function ownCredential(workspace?: string): string | undefined {
  if (process.env.SERVICE_DAEMON_URL) return undefined
  const secret = readSecret(workspacePaths(workspace).authSecret)
  const iat = Math.floor(Date.now() / 1000)
  return secret && signToken(secret, { sub: 'cli', role: 'admin', iat, exp: iat + lifeSeconds })
}
