import { rmSync } from 'node:fs'
import test from 'ava'
import { pino } from 'pino'
import { startDaemon as start } from '../../../src/daemon/process/start.js'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'

test('a daemon that is stopped while it fills its index stops in peace', async t => {
  const workspace = temporaryWorkspace(t)
  const first = await startDaemon(t, { workspace })
  for (let i = 0; i < 60; i++) await first.remember(`the note number ${i} of a full workspace`)
  await first.stop()
  rmSync(first.paths.snapshot)
  const second = await start({
    paths: first.paths,
    version: '0.0.0-test',
    log: pino({ level: 'silent' }),
    environment: { SERVICE_PORT: '0' },
  })
  await second.close()
  await t.notThrowsAsync(second.loaded)
})
