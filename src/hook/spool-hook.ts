import { v7 as uuidv7 } from 'uuid'
import { credentialTrace } from '../contract/platform/credential.js'
import type { SpooledHook } from '../contract/sessions/harness-hook.js'
import { putInSpool } from '../lib/files/spool.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import type { HookArguments } from './arguments.js'

/**
 * Spools a hook for the daemon of the workspace, which processes it at its next start.
 * @returns a note about the outcome for the user.
 */
export function spoolHook({ hook, harness, workspace, agent }: HookArguments, input: Buffer): string {
  const credential = process.env.SERVICE_API_KEY || process.env.SERVICE_TOKEN
  const entry: SpooledHook = {
    harness,
    hook,
    time: new Date().toISOString(),
    input: input.toString('utf8'),
    ...(agent && { agent }),
    ...(credential && { credential: credentialTrace(credential) }),
  }
  const { hookSpool } = workspacePaths(workspace)
  return putInSpool(hookSpool, uuidv7(), entry) ? 'queued for later' : `lost, ${hookSpool} is full`
}
