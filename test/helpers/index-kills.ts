import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from './daemon.js'
import { spawnDaemon, until } from './daemon-process.js'
import { killsOr } from './kills.js'
import { openRaw } from './store.js'

const kills = killsOr(2)

export interface KilledReading {
  /** Kind of the source, as its route names it. */
  kind: string
  /** Request body that registers the source. */
  body: object
  /** Number of artifacts; kills are spread over them. */
  total: number
  /** Sections of agent.yaml. */
  settings?: object
  environment?: NodeJS.ProcessEnv
}

/**
 * Registers a source with the built daemon and kills the daemon repeatedly during the sync, each time at a
 * later point.
 * @returns the database once the sync is complete
 */
export async function killWhileRead(t: ExecutionContext, reading: KilledReading) {
  const { kind, body, total, settings = {} } = reading
  const workspace = temporaryWorkspace(t)
  writeFileSync(
    join(workspace, 'agent.yaml'),
    stringify({ embedding: { provider: 'none' }, sources: settings }),
  )
  const environment = { SERVICE_NO_AUTOSTART: '1', ...reading.environment }
  let running = spawnDaemon(t, workspace, environment)
  const { url } = await running.ready()
  await fetch(`${url}/api/sources/${kind}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const raw = openRaw(t, workspacePaths(workspace).database)
  const rows = raw.prepare('SELECT count(*) FROM source_artifacts WHERE removed = 0').pluck()
  for (let kill = 1; kill <= kills; kill++) {
    const wanted = Math.floor((total * kill) / (kills + 2))
    // Polling without a pause would take processor time from the sync.
    while ((rows.get() as number) < wanted) await delay(2)
    running.child.kill('SIGKILL')
    await running.exited
    t.true((rows.get() as number) < total, `kill ${kill} came too late`)
    running = spawnDaemon(t, workspace, environment)
    await running.ready()
  }
  const status = raw.prepare('SELECT status FROM source_index_jobs').pluck()
  await until(() => status.get() === 'complete' || undefined)
  return raw
}
