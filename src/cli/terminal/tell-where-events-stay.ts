import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reply } from '../../contract/api.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

interface Options {
  workspace: string | undefined
  /** What people read; a pipe is told nothing. */
  stream: { isTTY?: boolean; write(text: string): unknown }
  /** Asks the daemon how its telemetry stands. */
  ask(): Promise<Pick<Reply<'GET /api/telemetry/health'>, 'enabled' | 'deliveryConfigured'>>
}

/**
 * Says once in the life of a workspace, at a terminal, that events of use are recorded, where they go and how that ends
 * (telemetry.md 3). Who can't note that it was said, or may not ask, is not told: the log says it too.
 */
export async function tellWhereEventsStay({ workspace, stream, ask }: Options): Promise<void> {
  // The workspace of a daemon elsewhere is somebody else's.
  if (!stream.isTTY || process.env.SERVICE_DAEMON_URL) return
  const { telemetryTold } = workspacePaths(workspace)
  if (existsSync(telemetryTold)) return
  try {
    const { enabled, deliveryConfigured } = await ask()
    mkdirSync(dirname(telemetryTold), { recursive: true, mode: 0o700 })
    // Of two commands at once one gets to make it.
    writeFileSync(telemetryTold, '', { flag: 'wx', mode: 0o600 })
    if (!enabled) return
    const where = deliveryConfigured ? 'and sent to the address of agent.yaml' : 'and stay on this machine'
    stream.write(`Anonymous events of use are recorded ${where}; memory telemetry off ends that.\n`)
  } catch {
    // What was asked for went well; this is said another time.
  }
}
