import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { openaiReply, sendJson, startHttpFake, until } from '../../helpers/embedding-fakes.js'

const passphrase = 'correct horse battery'

async function store({ call }: TestDaemon, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await call('POST /api/secrets/:name', { params: { name }, body: { value } })
}

test('a store with a passphrase is locked after a restart until it is unlocked', async t => {
  const first = await startDaemon(t)
  await store(first, { KEY: 'value' })
  const body = { source: 'passphrase', passphrase } as const
  t.deepEqual((await first.call('POST /api/secrets/store/protect', { body })).body, {
    success: true,
    source: 'passphrase',
  })
  t.is(await first.daemon.secrets.resolve('KEY'), 'value')
  await first.stop()
  const { call, daemon } = await startDaemon(t, { workspace: first.paths.root })
  const locked = await call('GET /api/secrets')
  t.is(locked.status, 409)
  t.is(locked.body.code, 'secret_store_locked')
  t.regex(String(locked.body.error), /memory secrets unlock/u)
  const wrong = await call('POST /api/secrets/store/unlock', { body: { passphrase: 'another one' } })
  t.is(wrong.status, 400)
  t.is((await call('POST /api/secrets/store/unlock', { body: { passphrase } })).status, 200)
  t.is(await daemon.secrets.resolve('KEY'), 'value')
})

test('status shows where the key is and how many secrets exist', async t => {
  const daemon = await startDaemon(t)
  const status = async () => (await daemon.call('GET /api/secrets/store/status')).body
  t.deepEqual(await status(), { state: 'none', source: null, secrets: 0, problem: null })
  t.false(existsSync(daemon.paths.secretsDir))
  await store(daemon, { KEY: 'value' })
  t.deepEqual(await status(), { state: 'open', source: 'keyfile', secrets: 1, problem: null })
})

test('rotating replaces the keys and lists which', async t => {
  const daemon = await startDaemon(t)
  const keyFile = join(daemon.paths.secretsDir, 'machine.key')
  t.is((await daemon.call('POST /api/secrets/store/rotate')).status, 409)
  await store(daemon, { KEY: 'value' })
  const key = readFileSync(keyFile)
  t.deepEqual((await daemon.call('POST /api/secrets/store/rotate')).body.rotated, ['outer', 'inner'])
  t.false(key.equals(readFileSync(keyFile)))
  t.is(await daemon.daemon.secrets.resolve('KEY'), 'value')
})

test('an export can be imported elsewhere, and existing secrets are replaced only on request', async t => {
  const from = await startDaemon(t)
  await store(from, { SAME: 'same', OTHER: 'theirs', NEW: 'new' })
  const { body: file } = await from.call('POST /api/secrets/store/export', { body: { passphrase } })
  const into = await startDaemon(t)
  await store(into, { SAME: 'same', OTHER: 'ours' })
  const load = async (more: object) =>
    (await into.call('POST /api/secrets/store/import', { body: { file, passphrase, ...more } })).body
  const met = { added: ['NEW'], changed: ['OTHER'], same: ['SAME'] }
  t.deepEqual(await load({ dryRun: true }), { dryRun: true, ...met, written: 0 })
  t.deepEqual((await into.call('GET /api/secrets')).body.secrets, ['OTHER', 'SAME'])
  t.deepEqual(await load({}), { dryRun: false, ...met, written: 1 })
  t.is(await into.daemon.secrets.resolve('OTHER'), 'ours')
  t.is((await load({ overwrite: true })).written, 1)
  t.is(await into.daemon.secrets.resolve('OTHER'), 'theirs')
})

test('a list of values is imported in one write', async t => {
  const { call, daemon } = await startDaemon(t)
  const entries = [
    { name: 'ONE', value: 'a' },
    { name: 'TWO', value: 'b' },
    { name: 'ONE', value: 'the last one counts' },
  ]
  const { body } = await call('POST /api/secrets/store/import', { body: { entries } })
  t.deepEqual(body, { dryRun: false, added: ['ONE', 'TWO'], changed: [], same: [], written: 2 })
  t.is(await daemon.secrets.resolve('ONE'), 'the last one counts')
})

test('an import needs either a file or values, and a passphrase has at least eight characters', async t => {
  const { call } = await startDaemon(t)
  const entries = [{ name: 'ONE', value: 'a' }]
  for (const body of [{}, { entries, file: {} }, { file: {} }, { entries: [] }])
    t.is((await call('POST /api/secrets/store/import', { body })).status, 400)
  t.is((await call('POST /api/secrets/store/export', { body: { passphrase: 'short' } })).status, 400)
})

test('an embedding key comes from the store, and a change of it applies at once', async t => {
  const keys: (string | undefined)[] = []
  const provider = await startHttpFake(t, (request, response) => {
    keys.push(request.headers.authorization)
    sendJson(response, 200, openaiReply(request, 8))
  })
  const embedding = {
    provider: 'openai',
    model: 'm',
    baseUrl: `${provider.url}/v1`,
    dimensions: 8,
    apiKey: 'EMBEDDING_KEY',
  }
  const daemon = await startDaemon(t, { settings: { embedding } })
  await daemon.remember('before there is a key')
  t.deepEqual(keys, [])
  const { body } = await daemon.call('GET /api/embeddings/status')
  t.regex(String(body.error), /embedding\.apiKey names a secret that is not set/u)
  t.notRegex(String(body.error), /EMBEDDING_KEY/u)
  await store(daemon, { EMBEDDING_KEY: 'key one' })
  await until(() => keys.includes('Bearer key one'))
  await store(daemon, { EMBEDDING_KEY: 'key two' })
  await daemon.remember('after the key was changed')
  await until(() => keys.at(-1) === 'Bearer key two')
})
