// runs: alone

import { request } from 'node:http'
import test from 'ava'
import { ensureDaemon } from '../../src/client/daemon/ensure-daemon.js'
import { stopWorkspaceDaemon } from '../../src/client/daemon/stop-daemon.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'

test('a command waits for a draining daemon, and then starts the next one', async t => {
  process.env.SERVICE_PORT = '0'
  process.env.SERVICE_EMBEDDING_DOWNLOAD = '0'
  const workspace = temporaryWorkspace(t)
  const old = spawnDaemon(t, workspace)
  const { url } = await old.ready()
  // The request body never arrives, so the daemon drains until it aborts the request.
  const held = request(`${url}/api/memory/remember`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100', expect: '100-continue' },
  })
  held.on('error', () => undefined)
  held.flushHeaders()
  await new Promise(resolve => held.once('continue', resolve))
  old.child.kill('SIGTERM')
  await until(() =>
    fetch(`${url}/health`).then(
      () => undefined,
      () => true,
    ),
  )
  const waits = new Set<string>()
  const found = ensureDaemon({ workspace, onWait: what => waits.add(what) })
  t.teardown(() => stopWorkspaceDaemon(workspace))
  const { port } = await found
  t.not(`http://127.0.0.1:${port}`, url)
  t.is(await old.exited, 0)
  t.true(waits.has(`waiting for the daemon (pid ${old.child.pid}) to finish its work`), [...waits].join('\n'))
})
