import type { ExecutionContext } from 'ava'
import { RecentLogs } from '../../src/daemon/ground/telemetry/recent-logs.js'
import { createLog } from '../../src/daemon/process/log.js'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.js'

/** Starts a daemon whose log is kept like that of a process; other test daemons are silent. */
export async function startLogging(
  t: ExecutionContext,
  options: TestDaemonOptions = {},
  level = 'debug',
): Promise<TestDaemon> {
  const recentLogs = new RecentLogs()
  const log = createLog({ write: line => recentLogs.take(line) }, level)
  return startDaemon(t, { ...options, log, recentLogs })
}
