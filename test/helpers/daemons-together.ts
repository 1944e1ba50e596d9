import type { ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.js'
import { ownDatabase } from './postgres.js'

/** Starts two daemons on one database, of which the first does the work with files. */
export async function startTogether(
  t: ExecutionContext,
  { environment, settings }: Pick<TestDaemonOptions, 'environment' | 'settings'> = {},
): Promise<{ first: TestDaemon; other: TestDaemon; postgres: string }> {
  const postgres = await ownDatabase(t)
  const join = (name: string): Promise<TestDaemon> =>
    startDaemon(t, {
      settings: { ...settings, storage: { postgres, shared: true }, team: { node: 'first' } },
      environment: { ...environment, SERVICE_NODE_NAME: name, SERVICE_TEAM_KEY: 'a key of this team' },
    })
  return { first: await join('first'), other: await join('other'), postgres }
}
