// runs: alone

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { locate, originOf } from '../../../../src/client/daemon/locate.js'
import type { ClientError } from '../../../../src/client/http/client-error.js'
import { deadPid, registrationOf, writeRegistration } from '../../../helpers/fake-daemon.js'

const workspace = mkdtempSync(join(tmpdir(), 'memory-service-locate-'))
const alive = registrationOf({ port: 4711, version: '1.0.0' })

test.before(() => {
  delete process.env.SERVICE_DAEMON_URL
})
test.after.always(() => rmSync(workspace, { recursive: true }))
test.afterEach.always(() => {
  delete process.env.SERVICE_DAEMON_URL
})

test.serial('the registration of a living process yields its address', t => {
  writeRegistration(workspace, JSON.stringify(alive))
  t.like(locate(workspace), { kind: 'registered', origin: { host: '127.0.0.1', port: 4711 } })
})

test.serial('a missing, torn, foreign or outdated registration yields nothing', async t => {
  const texts = [
    '',
    '{"pid":',
    'null',
    '[]',
    '{"pid":"1"}',
    JSON.stringify({ ...alive, pid: await deadPid() }),
    JSON.stringify({ ...alive, process: `${alive.process}0` }),
    JSON.stringify({ ...alive, closing: true }),
    JSON.stringify({ ...alive, instance: undefined }),
  ]
  for (const text of texts) {
    writeRegistration(workspace, text)
    t.deepEqual(locate(workspace), { kind: 'unknown' }, text)
  }
  t.deepEqual(locate(join(workspace, 'none')), { kind: 'unknown' })
})

test.serial('SERVICE_DAEMON_URL takes precedence over a registration', t => {
  writeRegistration(workspace, JSON.stringify(alive))
  process.env.SERVICE_DAEMON_URL = 'http://memory.example:8080'
  t.deepEqual(locate(workspace), {
    kind: 'remote',
    origin: { protocol: 'http:', host: 'memory.example', port: 8080 },
  })
})

test.serial('SERVICE_DAEMON_URL supports default ports and IPv6', t => {
  process.env.SERVICE_DAEMON_URL = 'https://memory.example/'
  t.like(locate(workspace), { origin: { protocol: 'https:', port: 443 } })
  process.env.SERVICE_DAEMON_URL = 'http://[::1]:3850'
  t.like(locate(workspace), { origin: { host: '::1', port: 3850 } })
})

test.serial('SERVICE_DAEMON_URL must be an origin, and the error quotes the value', t => {
  for (const url of [
    'localhost:3850',
    'nonsense',
    'ftp://a',
    'http://a/api',
    'http://a/?x',
    'http://u:p@a',
  ]) {
    process.env.SERVICE_DAEMON_URL = url
    const error = t.throws<ClientError>(() => locate(workspace), { name: 'ClientError' })
    t.is(error.code, 'invalid_environment')
    t.true(error.message.includes(`'${url}'`))
  }
})

test('a daemon bound to all interfaces is reached over loopback', t => {
  t.is(originOf({ host: '0.0.0.0', port: 1 }).host, '127.0.0.1')
  t.is(originOf({ host: '::', port: 1 }).host, '::1')
})
