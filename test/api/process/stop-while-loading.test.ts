import { rmSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { startDaemon as start } from '../../../src/daemon/process/start.js'
import type { WorkspacePaths } from '../../../src/lib/workspace/paths.js'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'

test('a daemon stopped while it fills its index exits cleanly', async t => {
  const paths = await workspaceWithRows(t)
  const second = await start(begun(paths))
  await second.close()
  await t.notThrowsAsync(second.loaded)
})

test('a daemon stopped while its index thread starts exits cleanly', async t => {
  const paths = await workspaceWithRows(t)
  const second = await start(begun(paths, { SERVICE_INDEX_THREAD: 'always' }))
  await second.ready
  await second.close()
  await t.notThrowsAsync(second.loaded)
})

/** A workspace whose index has to be built from its rows. */
async function workspaceWithRows(t: ExecutionContext): Promise<WorkspacePaths> {
  const first = await startDaemon(t, { workspace: temporaryWorkspace(t) })
  for (let i = 0; i < 60; i++) await first.remember(`the note number ${i} of a full workspace`)
  await first.stop()
  rmSync(first.paths.snapshot)
  return first.paths
}

function begun(paths: WorkspacePaths, environment: NodeJS.ProcessEnv = {}) {
  const log = pino({ level: 'silent' })
  return { paths, version: '0.0.0-test', log, environment: { SERVICE_PORT: '0', ...environment } }
}
