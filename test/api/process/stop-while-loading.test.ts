import { rmSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { startDaemon as start } from '../../../src/daemon/process/start.js'
import type { WorkspacePaths } from '../../../src/lib/workspace/paths.js'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'

test('a daemon that is stopped while it fills its index stops in peace', async t => {
  const paths = await filled(t)
  const second = await start(begun(paths))
  await second.close()
  await t.notThrowsAsync(second.loaded)
})

test('a daemon that is stopped while the thread of its index starts stops in peace', async t => {
  const paths = await filled(t)
  const second = await start(begun(paths, { SERVICE_INDEX_THREAD: 'always' }))
  await second.ready
  await second.close()
  await t.notThrowsAsync(second.loaded)
})

/** A workspace whose index is to be filled from its rows. */
async function filled(t: ExecutionContext): Promise<WorkspacePaths> {
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
