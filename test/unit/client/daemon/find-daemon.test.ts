import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { ensureDaemon } from '../../../../src/client/daemon/ensure-daemon.js'
import { findDaemon } from '../../../../src/client/daemon/find-daemon.js'
import { ClientError } from '../../../../src/client/http/client-error.js'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { answerChallenge, registrationOf, writeRegistration } from '../../../helpers/fake-daemon.js'

test('invalid settings are reported with file and line before a start', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  writeFileSync(paths.settings, 'daemon:\n  host: *nope\n')
  const error = await t.throwsAsync(findDaemon(paths), { instanceOf: ClientError, code: 'launch_failed' })
  t.regex(error?.message ?? '', /agent\.yaml is invalid/)
  t.true(JSON.stringify(error?.details).includes(`${paths.settings}:2: `))
})

test('unreadable settings are reported', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  mkdirSync(paths.settings)
  const error = await t.throwsAsync(findDaemon(paths), { instanceOf: ClientError, code: 'launch_failed' })
  t.true(JSON.stringify(error?.details).includes('cannot be read'))
})

test('an unusable workspace is reported, not its settings', async t => {
  const file = join(temporaryWorkspace(t), 'file')
  writeFileSync(file, '')
  for (const workspace of [file, join(file, 'below')])
    for (const look of [() => findDaemon(workspacePaths(workspace)), () => ensureDaemon({ workspace })]) {
      const error = await t.throwsAsync(look(), { instanceOf: ClientError, code: 'invalid_environment' })
      t.regex(error?.message ?? '', /^the workspace cannot be used: .*file is not a folder$/)
      t.is(error?.nextSteps.length, 1)
    }
})

test('a slow daemon is recognised, not taken for another program', async t => {
  const workspace = temporaryWorkspace(t)
  const health = { status: 'healthy', version: '1.0.0', pid: process.pid, uptime: 1, workspace }
  const server = createServer((request, response) => {
    answerChallenge(request, response)
    setTimeout(() => response.end(JSON.stringify(health)), 3000)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const registration = registrationOf({ port, version: '1.0.0', workspace })
  writeRegistration(workspace, JSON.stringify(registration))
  t.is((await findDaemon(workspacePaths(workspace)))?.health.pid, process.pid)
})
