import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { relayTransport } from '../../../src/daemon/operations/sync/transports/relay.js'
import type { Transport } from '../../../src/daemon/operations/sync/transports/transport.js'
import { startDaemon } from '../../helpers/daemon.js'
import { startStore } from '../../helpers/fake-store.js'
import { startTeam } from '../../helpers/team.js'
import { testTransport } from '../../helpers/transport-suite.js'

const file = (at: number): string => `0123456789abcdef0123456789abcdef/dev1/000000000${at}-aa.seg`

async function box(
  t: ExecutionContext,
  url: string,
  { key, name = 'main' }: { key?: string; name?: string } = {},
): Promise<Transport> {
  const life = new AbortController()
  const transport = await relayTransport(
    { url: new URL(url), box: name },
    {
      ...{ place: `memory-relay:${url}`, signal: life.signal, advice: 'store a new key', deps: {} as never },
      credentials: async () => key,
    },
  )
  t.teardown(() => transport.close())
  return transport
}

testTransport(
  'relay',
  async t => {
    const { url } = await startDaemon(t, { settings: { sync: { relay: true } } })
    return {
      one: await box(t, url),
      two: await box(t, url),
      cutPut: (name, bytes) =>
        new Promise(resolve => {
          const { hostname, port, host } = new URL(url)
          const socket = connect(Number(port), hostname)
          socket.on('close', resolve).on('error', () => undefined)
          socket.write(
            `PUT /api/sync/relay/main/file?name=${name} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
          )
          socket.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy())
        }),
    }
  },
  { files: 1010 },
)

test('a daemon keeps nothing for others until its admin turns that on', async t => {
  const { url } = await startDaemon(t)
  const transport = await box(t, url)
  for (const work of [() => transport.list(), () => transport.put(file(1), Buffer.from('x'))]) {
    const fault = await t.throwsAsync(work(), {
      name: 'TransportFault',
      message: /config set sync\.relay true/u,
    })
    t.like(fault, { kind: 'absent' })
  }
})

test('a full relay says so, and takes files again once others are removed', async t => {
  const { url } = await startDaemon(t, { settings: { sync: { relay: true, relayMaxMb: 1 } } })
  const [mine, other] = [await box(t, url), await box(t, url, { name: 'other' })]
  await mine.put(file(1), Buffer.alloc(700_000))
  const fault = await t.throwsAsync(other.put(file(1), Buffer.alloc(700_000)), {
    message: /sync\.relayMaxMb/u,
  })
  t.like(fault, { kind: 'full' })
  t.deepEqual(await other.list(), [])
  await mine.remove(file(1))
  await other.put(file(1), Buffer.alloc(700_000))
  t.is((await other.list()).length, 1)
})

test('questions make no box, and small files and leftovers of a kill do not fill the disk', async t => {
  const { url, paths } = await startDaemon(t, { settings: { sync: { relay: true, relayMaxMb: 1 } } })
  const { syncRelay } = paths
  const asked = await box(t, url, { name: 'asked' })
  t.deepEqual([await asked.list(), await asked.get(file(1))], [[], undefined])
  await asked.remove(file(1))
  t.false(existsSync(join(syncRelay, 'asked')))
  const leftover = join(syncRelay, 'main', 'memory-sync', `${file(1)}.${'0'.repeat(36)}.tmp`)
  mkdirSync(dirname(leftover), { recursive: true })
  writeFileSync(leftover, 'half')
  writeFileSync(join(syncRelay, '.DS_Store'), 'x')
  const small = await box(t, url)
  for (let at = 0; at < 256; at++) await small.put(file(at), Buffer.from('x'))
  await t.throwsAsync(small.put(file(256), Buffer.from('x')), { message: /sync\.relayMaxMb/u })
  t.false(existsSync(leftover))
})

test('a page that names no later file is refused', async t => {
  const page = { files: [{ name: file(1), bytes: 1 }], next: file(1) }
  const { url } = await startStore(t, () => ({ status: 200, body: JSON.stringify(page) }))
  const transport = await box(t, url)
  await t.throwsAsync(transport.list(), { message: /does not answer as a memory daemon does/u })
})

test('a box takes names of a sync only, and files of at most 16 MiB', async t => {
  const { url } = await startDaemon(t, { settings: { sync: { relay: true } } })
  const put = (name: string, body = 'x') =>
    fetch(`${url}/api/sync/relay/main/file?name=${encodeURIComponent(name)}`, { method: 'PUT', body })
  for (const name of ['../../x', `${'0'.repeat(32)}/../x`, `${'0'.repeat(32)}/a/.x`, '/etc/passwd', 'a/b/c'])
    t.is((await put(name)).status, 400, name)
  t.is((await put(file(1), 'x'.repeat(16 * 1024 * 1024 + 1))).status, 413)
})

test('the relay of a team takes a key with that permission alone', async t => {
  const team = await startTeam(t, { settings: { sync: { relay: true } } })
  const narrow = await team.key({ role: 'operator', permissions: ['relay'] })
  const key = narrow.key
  const allowed = await box(t, team.url, { key })
  await allowed.put(file(1), Buffer.from('x'))
  t.is((await allowed.list()).length, 1)
  t.is((await fetch(`${team.url}/api/export`, { headers: narrow.headers })).status, 403)
  for (const other of [undefined, 'msk_wrong', (await team.key({ role: 'agent' })).key]) {
    const refused = await box(t, team.url, other === undefined ? {} : { key: other })
    const fault = await t.throwsAsync(refused.list(), {
      message: /refuses the credentials; store a new key/u,
    })
    t.like(fault, { kind: 'refused' })
    t.false(fault.message.includes(other ?? 'Bearer'))
  }
})
