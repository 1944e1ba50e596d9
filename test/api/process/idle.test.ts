// runs: alone

import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import test from 'ava'
import { pino } from 'pino'
import { startDaemon } from '../../../src/daemon/process/start.js'
import { workspacePaths } from '../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

test('a long request keeps the daemon running; a disconnected client does not', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  writeFileSync(paths.settings, 'daemon:\n  idleTimeoutMs: 200\nembedding:\n  provider: none\n')
  const stops: number[] = []
  const running = await startDaemon({
    paths,
    version: '0.0.0-test',
    log: pino({ level: 'silent' }),
    environment: { SERVICE_PORT: '0' },
  })
  t.teardown(running.close)
  void running.ending.then(() => stops.push(performance.now()))
  // The body never arrives, so the request stays open.
  const held = request(`${running.url}/api/memory/remember`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100' },
  })
  held.on('error', () => undefined)
  held.flushHeaders()
  await running.loaded
  const begun = performance.now()
  // The daemon checks for idleness every second.
  await until(() => performance.now() - begun > 2500 || undefined)
  t.deepEqual(stops, [])
  const left = performance.now()
  held.destroy()
  await until(() => stops.length > 0 || undefined)
  t.true((stops[0] as number) - left > 200)
})
