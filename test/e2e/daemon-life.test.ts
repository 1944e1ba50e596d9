// runs: in turn

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { copyPackage } from '../helpers/installed-package.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const save = (url: string, content: string) =>
  fetch(`${url}/api/memory/remember`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  })

test('a daemon registers itself and removes its registration when it stops', async t => {
  const workspace = temporaryWorkspace(t)
  const daemon = spawnDaemon(t, workspace)
  const { registration } = await daemon.ready()
  t.is(registration.workspace, workspace)
  daemon.child.kill('SIGTERM')
  t.is(await daemon.exited, 0)
  t.false(existsSync(workspacePaths(workspace).registration))
})

test('a second daemon on the same workspace is refused and the first is unaffected', async t => {
  const workspace = temporaryWorkspace(t)
  const first = spawnDaemon(t, workspace)
  const { url, registration } = await first.ready()
  const second = spawnDaemon(t, workspace)
  t.is(await second.exited, 3)
  t.regex(second.stderr(), /another daemon holds/)
  t.is(JSON.parse(readFileSync(workspacePaths(workspace).registration, 'utf8')).pid, registration.pid)
  t.true((await fetch(`${url}/health`)).ok)
})

test('a workspace can be used again after kill -9', async t => {
  const workspace = temporaryWorkspace(t)
  const first = spawnDaemon(t, workspace)
  await first.ready()
  first.child.kill('SIGKILL')
  await first.exited
  const { url } = await spawnDaemon(t, workspace).ready()
  t.true((await fetch(`${url}/health`)).ok)
})

test('every acknowledged save exists after kill -9 during a stream of writes', async t => {
  const workspace = temporaryWorkspace(t)
  const first = spawnDaemon(t, workspace)
  const { url } = await first.ready()
  const acknowledged: string[] = []
  const writer = async (name: string): Promise<void> => {
    for (let n = 0; ; n++) {
      try {
        const response = await save(url, `writer ${name} saved row ${n}`)
        acknowledged.push(((await response.json()) as { id: string }).id)
      } catch {
        return
      }
      if (acknowledged.length === 120) first.child.kill('SIGKILL')
    }
  }
  await Promise.all(['a', 'b', 'c', 'd'].map(writer))
  t.true(acknowledged.length >= 120)
  const again = await spawnDaemon(t, workspace).ready()
  for (const id of acknowledged) {
    const response = await fetch(`${again.url}/api/memory/${id}`)
    t.is(response.status, 200)
    const history = await fetch(`${again.url}/api/memory/${id}/history`)
    t.is(((await history.json()) as { count: number }).count, 1)
  }
})

test('a taken port gives a clear error', async t => {
  const foreign = createServer((_request, response) => response.end('not a memory'))
  await new Promise<void>(resolve => foreign.listen(0, '127.0.0.1', resolve))
  t.teardown(() => foreign.close())
  const { port } = foreign.address() as AddressInfo
  const daemon = spawnDaemon(t, temporaryWorkspace(t), { SERVICE_PORT: String(port) })
  t.is(await daemon.exited, 4)
  t.regex(daemon.stderr(), new RegExp(`port ${port} .*taken.*SERVICE_PORT`))
})

test('a torn registration file is replaced', async t => {
  const workspace = temporaryWorkspace(t)
  const { daemonDir, registration } = workspacePaths(workspace)
  mkdirSync(daemonDir, { recursive: true })
  writeFileSync(registration, '{"pid": 12')
  const ready = await spawnDaemon(t, workspace).ready()
  t.is(JSON.parse(readFileSync(registration, 'utf8')).port, ready.registration.port)
})

test('daemon.logLevel decides what is logged, unless SERVICE_LOG_LEVEL does (operations.md 7)', async t => {
  const logged = async (environment: NodeJS.ProcessEnv) => {
    const workspace = temporaryWorkspace(t)
    writeFileSync(workspacePaths(workspace).settings, 'daemon:\n  logLevel: error\n')
    const daemon = spawnDaemon(t, workspace, environment)
    await daemon.ready()
    daemon.child.kill('SIGTERM')
    t.is(await daemon.exited, 0)
    return daemon.stderr()
  }
  t.is(await logged({}), '')
  t.regex(await logged({ SERVICE_LOG_LEVEL: 'info' }), /listening/)
})

test('invalid settings keep a daemon from starting, with file, line and key', async t => {
  const workspace = temporaryWorkspace(t)
  const file = workspacePaths(workspace).settings
  writeFileSync(file, '# mine\ndaemon:\n  idleTimeoutMs: soon\n')
  const daemon = spawnDaemon(t, workspace)
  t.is(await daemon.exited, 2)
  t.true(daemon.stderr().includes(`${file}:3: daemon.idleTimeoutMs:`), daemon.stderr())
})

test('an invalid database stops the daemon with a clear error and is not changed', async t => {
  const workspace = temporaryWorkspace(t)
  const { memoryDir, database } = workspacePaths(workspace)
  mkdirSync(memoryDir, { recursive: true })
  writeFileSync(database, 'this is not a database, but somebody may want it back')
  const daemon = spawnDaemon(t, workspace)
  t.is(await daemon.exited, 1)
  t.regex(daemon.stderr(), /not a database/)
  t.regex(readFileSync(database, 'utf8'), /somebody may want it back/)
})

test('an idle daemon stops by itself', async t => {
  const workspace = temporaryWorkspace(t)
  writeFileSync(workspacePaths(workspace).settings, 'daemon:\n  idleTimeoutMs: 300\n')
  t.is(await spawnDaemon(t, workspace).exited, 0)
})

test('a daemon stops on an HTTP request', async t => {
  const daemon = spawnDaemon(t, temporaryWorkspace(t))
  const { url } = await daemon.ready()
  t.is((await fetch(`${url}/api/daemon/shutdown`, { method: 'POST' })).status, 202)
  t.is(await daemon.exited, 0)
})

test('settings are reloaded when the file changes; an invalid file leaves the last valid settings active', async t => {
  const workspace = temporaryWorkspace(t)
  const file = workspacePaths(workspace).settings
  writeFileSync(file, 'embedding:\n  provider: none\n')
  const { url } = await spawnDaemon(t, workspace).ready()
  const status = async () =>
    (await (await fetch(`${url}/api/status`)).json()) as {
      pipeline: { mode: string }
      settingsProblems: string[]
    }
  writeFileSync(file, 'memory:\n  pipelineV2:\n    mutationsFrozen: true\nembedding:\n  provider: none\n')
  await until(async () => (await status()).pipeline.mode === 'frozen' || undefined)
  t.is((await save(url, 'x')).status, 503)
  writeFileSync(file, 'memory:\n  pipelineV2:\n    mutationsFrozen: maybe\n')
  const { settingsProblems, pipeline } = await until(async () => {
    const now = await status()
    return now.settingsProblems.length > 0 ? now : undefined
  })
  t.is(pipeline.mode, 'frozen')
  t.true(settingsProblems[0]?.includes(`${file}:3: memory.pipelineV2.mutationsFrozen`))
})

test('a daemon whose program is updated or removed ends, so that the next command starts the new one (start.md#how-it-ends)', async t => {
  const installed = copyPackage(temporaryFolder(t), { withDrivers: true })
  const program = join(installed, 'bin', 'daemon.js')
  const bundle = join(installed, 'dist', 'daemon.cjs')
  const change = {
    updated: () => writeFileSync(bundle, readFileSync(bundle)),
    removed: () => rmSync(bundle),
  }
  for (const [how, act] of Object.entries(change)) {
    const { ready, exited, stderr } = spawnDaemon(t, temporaryWorkspace(t), {}, program)
    const { url } = await ready()
    t.is((await save(url, 'kept')).status, 200)
    act()
    t.is(await exited, 0, how)
    t.regex(stderr(), /its program was replaced or removed/)
  }
})
