import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { ended } from '../../helpers/commands.js'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { emptyFolder } from '../../helpers/fake-program.js'
import { filesWith } from '../../helpers/files-below.js'
import { fakeBitwarden, fakeOnePassword } from '../../helpers/password-managers.js'

const session = 'the-session'
const token = 'ops_the-token'

async function withBitwarden(t: ExecutionContext, fields: Parameters<typeof fakeBitwarden>[1] = {}) {
  const bitwarden = fakeBitwarden(t, fields)
  const workspace = temporaryWorkspace(t)
  const daemon = await startDaemon(t, { workspace, environment: { PATH: bitwarden.path } })
  const { call } = daemon
  return {
    ...daemon,
    workspace,
    bitwarden,
    set: (name: string, value: string) =>
      call('POST /api/secrets/:name', { params: { name }, body: { value } }),
    connect: (body: object = {}) => call('POST /api/secrets/vaulta/connect', { body: { session, ...body } }),
    names: async () => (await call('GET /api/secrets')).body.secrets,
  }
}

const login = (id: string, name: string, password: string, rest: object = {}) => ({
  id,
  type: 1,
  name,
  folderId: null,
  login: { username: null, password, ...rest },
})

test('without its program, Bitwarden is reported as missing, with how to install it', async t => {
  const { call } = await startDaemon(t, { environment: { PATH: emptyFolder(t) } })
  const { status, body } = await call('GET /api/secrets/vaulta/status')
  t.is(status, 200)
  t.like(body, { connected: false, active: false, status: null })
  t.regex(body.problem ?? '', /bw is not on the PATH of the daemon/)
  const connected = await call('POST /api/secrets/vaulta/connect', { body: { session } })
  t.like(connected, { status: 409, body: { code: 'conflict' } })
  t.regex(JSON.stringify(connected.body), /bw is not on the PATH of the daemon/)
})

test('a Bitwarden program without execute permission is not reported as missing', async t => {
  const folder = emptyFolder(t)
  writeFileSync(join(folder, 'bw'), 'no program', { mode: 0o600 })
  const { call } = await startDaemon(t, { environment: { PATH: folder } })
  const { problem } = (await call('GET /api/secrets/vaulta/status')).body
  t.regex(problem ?? '', /bw could not be started: spawn bw EACCES/)
})

test('a session is stored only if it opens the vault', async t => {
  const { call, connect, bitwarden } = await withBitwarden(t)
  const locked = await connect({ session: 'another-session' })
  t.like(locked, { status: 409, body: { code: 'conflict' } })
  t.regex(JSON.stringify(locked.body), /Vault is locked/)
  t.notRegex(JSON.stringify(locked.body), /another-session/)
  bitwarden.change({ loggedIn: false })
  t.regex(JSON.stringify((await connect()).body), /You are not logged in/)
  t.like((await call('GET /api/secrets/vaulta/status')).body, { connected: false, status: 'unauthenticated' })
  bitwarden.change({ loggedIn: true })
  t.like((await connect()).body, { success: true, connected: true, active: false, status: 'unlocked' })
})

test('the Bitwarden session appears in no plaintext file, list or export', async t => {
  const { call, connect, names, workspace, bitwarden, stop } = await withBitwarden(t, {
    session: 'canary-session-1',
  })
  t.is((await connect({ session: 'canary-session-1', activate: true })).status, 200)
  await call('POST /api/secrets/vaulta/provider', { body: { provider: 'local' } })
  await call('POST /api/secrets/:name', { params: { name: 'ONE' }, body: { value: 'value-of-one' } })
  t.deepEqual(await names(), ['ONE'])
  const exported = await call('POST /api/secrets/store/export', { body: { passphrase: 'a long passphrase' } })
  t.deepEqual(Object.keys(exported.body.entries), ['ONE'])
  const refused = await call('POST /api/secrets/:name', {
    params: { name: '_service_vaulta_session' },
    body: { value: 'other' },
  })
  t.is(refused.status, 400)
  await stop()
  t.deepEqual(filesWith(workspace, 'canary-session-1'), [])
  t.true(bitwarden.calls().every(({ args }) => !args.join(' ').includes('canary-session-1')))
})

test('while Bitwarden is active, secrets are stored, listed, read and deleted only there', async t => {
  const folders = [{ id: 'folder-1', name: 'agents' }]
  const { call, connect, set, names, daemon, bitwarden } = await withBitwarden(t, { folders })
  await set('LOCAL_ONE', 'kept here')
  await connect({ activate: true, folderId: 'folder-1' })
  t.deepEqual((await call('GET /api/secrets/vaulta/folders')).body, { folders })
  t.deepEqual((await set('API_KEY', 'first\nvalue')).body, { success: true, name: 'API_KEY' })
  await set('API_KEY', 'second value')
  t.like(bitwarden.vault().items, { length: 1, 0: { name: 'API_KEY', folderId: 'folder-1' } })
  t.deepEqual(await names(), ['API_KEY'])
  t.is(await daemon.secrets.resolve('API_KEY'), 'second value')
  t.is(await daemon.secrets.resolve('local://LOCAL_ONE'), 'kept here')
  await t.throwsAsync(daemon.secrets.resolve('local://API_KEY'), {
    message: /secret local:\/\/API_KEY not found/,
  })
  t.is((await call('DELETE /api/secrets/:name', { params: { name: 'API_KEY' } })).status, 200)
  t.deepEqual(bitwarden.vault().items, [])
  t.deepEqual((await call('DELETE /api/secrets/vaulta/connect')).body, { success: true, provider: 'local' })
  t.deepEqual(await names(), ['LOCAL_ONE'])
})

test('values are passed to Bitwarden on standard input, never as an argument', async t => {
  const { connect, set, bitwarden } = await withBitwarden(t)
  await connect({ activate: true })
  await set('API_KEY', 'canary-value-7')
  const said = bitwarden.calls().map(({ args, env }) => JSON.stringify([args, env]))
  const encoded = Buffer.from('canary-value-7').toString('base64').slice(4, 12)
  t.true(said.every(text => !text.includes('canary-value-7') && !text.includes(encoded)))
})

test('a changed item keeps its addresses and codes', async t => {
  const rest = { uris: [{ uri: 'https://example.org' }], totp: 'JBSWY3DPEHPK3PXP' }
  const items = [login('item-9', 'API_KEY', 'old', rest)]
  const { connect, set, bitwarden } = await withBitwarden(t, { items })
  await connect({ activate: true })
  await set('API_KEY', 'new')
  t.deepEqual(bitwarden.vault().items[0]?.login, { username: null, password: 'new', ...rest })
})

test('references find items by name and by id, and an ambiguous name is refused', async t => {
  const items = [login('a', 'ONE', 'first'), login('b', 'TWICE', 'second'), login('c', 'TWICE', 'third')]
  const { connect, daemon } = await withBitwarden(t, { items })
  await t.throwsAsync(daemon.secrets.resolve('vaulta://name/ONE'), {
    message: /Bitwarden is not connected; run memory secrets provider connect bitwarden/,
  })
  await connect()
  t.is(await daemon.secrets.resolve('vaulta://name/ONE'), 'first')
  t.is(await daemon.secrets.resolve('vaulta://item/c/password'), 'third')
  await t.throwsAsync(daemon.secrets.resolve('vaulta://name/TWICE'), {
    message: /more than one item named TWICE/,
  })
  await t.throwsAsync(daemon.secrets.resolve('vaulta://item/none/password'), {
    message: /secret vaulta:\/\/item\/none\/password not found/,
  })
  await t.throwsAsync(daemon.secrets.resolve('vaulta://something/else'), { message: /vaulta:\/\/name\/NAME/ })
})

test('an item that was deleted and recreated is found again', async t => {
  const { connect, daemon, bitwarden } = await withBitwarden(t, { items: [login('a', 'ONE', 'first')] })
  await connect()
  t.is(await daemon.secrets.resolve('vaulta://name/ONE'), 'first')
  bitwarden.change({ items: [login('b', 'ONE', 'second')] })
  t.is(await daemon.secrets.resolve('vaulta://name/ONE'), 'second')
})

test('without a connection, the error names the command that connects', async t => {
  const { daemon } = await withBitwarden(t)
  await t.throwsAsync(daemon.secrets.resolve('vaulta://name/ONE'), {
    message: /memory secrets provider connect bitwarden/,
  })
  await t.throwsAsync(daemon.secrets.resolve('vaultb://V/I/F'), {
    message: /memory secrets provider connect 1password/,
  })
})

test('Bitwarden can be activated only once it is connected', async t => {
  const { call, connect } = await withBitwarden(t)
  const choose = (provider: 'local' | 'vaulta') =>
    call('POST /api/secrets/vaulta/provider', { body: { provider } })
  t.like(await choose('vaulta'), { status: 409, body: { code: 'conflict' } })
  await connect()
  t.deepEqual((await choose('vaulta')).body, { success: true, provider: 'vaulta' })
  t.deepEqual((await choose('local')).body, { success: true, provider: 'local' })
  t.is((await choose('other' as never)).status, 400)
})

test('a command asks Bitwarden when it starts, not before it is accepted, also for a bare name', async t => {
  const items = [login('a', 'API_KEY', 'value-of-the-vault')]
  const { call, connect, bitwarden, ...rest } = await withBitwarden(t, { items })
  await connect({ activate: true })
  const run = async (reference: string) => {
    const body = { command: 'echo $K', secrets: { K: reference } }
    return call('POST /api/secrets/exec', { body })
  }
  const before = bitwarden.calls().length
  const known = await ended({ call, ...rest }, (await run('API_KEY')).body.id)
  t.is(known.result?.stdout, '[REDACTED]\n')
  t.deepEqual(
    bitwarden
      .calls()
      .slice(before)
      .map(({ args }) => args[0]),
    ['list', 'get'],
  )
  bitwarden.change({ session: 'a later session' })
  const locked = await run('API_KEY')
  t.is(locked.status, 202)
  const told = (await ended({ call, ...rest }, locked.body.id)).error ?? ''
  t.regex(told, /Vault is locked: .*bw unlock --raw.*memory secrets provider connect bitwarden/)
  t.like(await run('local://API_KEY'), { status: 404, body: { code: 'not_found' } })
})

test('a locked vault has its own error on every route, and nothing is written', async t => {
  const { call, connect, set, bitwarden } = await withBitwarden(t)
  await connect({ activate: true })
  bitwarden.change({ session: 'a-new-one' })
  for (const reply of [
    await call('GET /api/secrets'),
    await set('API_KEY', 'value'),
    await call('GET /api/secrets/vaulta/folders'),
    await call('POST /api/secrets/vaulta/migrate', { body: {} }),
  ]) {
    t.like(reply, { status: 502, body: { code: 'provider_failed' } })
    t.regex(JSON.stringify(reply.body), /Vault is locked/)
    t.notRegex(JSON.stringify(reply.body), /the-session/)
  }
  t.deepEqual(bitwarden.vault().items, [])
  t.like((await call('GET /api/secrets/vaulta/status')).body, {
    connected: true,
    active: true,
    status: 'locked',
  })
})

test('a migration is a dry run by default, and lists its action for each secret', async t => {
  const { connect, set, call, bitwarden } = await withBitwarden(t, {
    items: [login('a', 'SAME', 'one'), login('b', 'OTHER', 'theirs')],
  })
  for (const [name, value] of [
    ['SAME', 'one'],
    ['OTHER', 'ours'],
    ['FRESH', 'new'],
  ] as const)
    await set(name, value)
  await connect()
  const { body } = await call('POST /api/secrets/vaulta/migrate', { body: {} })
  t.deepEqual(
    body.secrets.map(({ name, action, done }) => [name, action, done]),
    [
      ['FRESH', 'create', false],
      ['OTHER', 'differs', false],
      ['SAME', 'same', false],
    ],
  )
  t.like(body, { dryRun: true, migrated: 0, failed: 0 })
  t.is(bitwarden.vault().items.length, 2)
})

test('a migration overwrites and deletes local secrets only on request, each after it was read back', async t => {
  const { connect, set, call, daemon, bitwarden } = await withBitwarden(t, {
    items: [login('b', 'OTHER', 'theirs')],
  })
  for (const [name, value] of [
    ['OTHER', 'ours'],
    ['FRESH', 'new'],
  ] as const)
    await set(name, value)
  await connect()
  const migrate = async (body: object) =>
    (await call('POST /api/secrets/vaulta/migrate', { body: { dryRun: false, ...body } })).body
  t.like(await migrate({}), { migrated: 1, failed: 0 })
  t.deepEqual(await daemon.secrets.store.names(), ['FRESH', 'OTHER'])
  t.is(bitwarden.vault().items.find(({ name }) => name === 'OTHER')?.login?.password, 'theirs')
  t.like(await migrate({ overwrite: true, deleteLocal: true }), { migrated: 2, failed: 0 })
  t.deepEqual(await daemon.secrets.store.names(), [])
  t.is(bitwarden.vault().items.find(({ name }) => name === 'OTHER')?.login?.password, 'ours')
})

test('a local secret stays if Bitwarden returns another value', async t => {
  const { connect, set, call, daemon } = await withBitwarden(t, { mangles: true })
  await set('API_KEY', 'small letters')
  await connect()
  const { body } = await call('POST /api/secrets/vaulta/migrate', {
    body: { dryRun: false, deleteLocal: true },
  })
  t.like(body, { migrated: 0, failed: 1 })
  t.regex(body.secrets[0]?.error ?? '', /returned another value/)
  t.notRegex(JSON.stringify(body), /small letters/i)
  t.is(await daemon.secrets.resolve('local://API_KEY'), 'small letters')
})

test('an unreadable providers file is an error; the local store is not used instead', async t => {
  const { connect, call, paths, set } = await withBitwarden(t)
  await connect({ activate: true })
  writeFileSync(paths.secretProviders, '{"active":')
  t.like(await call('GET /api/secrets'), { status: 503, body: { code: 'secret_store_damaged' } })
  t.is((await set('API_KEY', 'value')).status, 503)
  t.is(readFileSync(paths.secretProviders, 'utf8'), '{"active":')
})

async function withOnePassword(t: ExecutionContext) {
  const field = (id: string, label: string, value: string, type = 'CONCEALED') => ({ id, type, label, value })
  const onePassword = fakeOnePassword(t, {
    vaults: [
      {
        id: 'v1',
        name: 'Agents',
        items: [
          {
            id: 'i1',
            title: 'GitHub (work)',
            fields: [
              field('username', 'username', 'ada', 'STRING'),
              field('password', 'password', 'gh value'),
            ],
          },
          {
            id: 'i2',
            title: 'Two keys',
            fields: [field('k1', 'read key', 'r value'), field('k2', 'write key', 'w value')],
          },
          { id: 'i3', title: 'Empty', fields: [field('password', 'password', '')] },
        ],
      },
    ],
  })
  const daemon = await startDaemon(t, { environment: { PATH: onePassword.path } })
  return {
    ...daemon,
    onePassword,
    connect: (given = token) => daemon.call('POST /api/secrets/vaultb/connect', { body: { token: given } }),
    importVaults: (body: object = {}) =>
      daemon.call('POST /api/secrets/vaultb/import', { body: { vaults: ['Agents'], ...body } }),
  }
}

test('the 1Password token is stored only if it opens vaults, and is never repeated', async t => {
  const { call, connect } = await withOnePassword(t)
  t.like((await call('GET /api/secrets/vaultb/status')).body, { connected: false, vaults: [] })
  const wrong = await connect('ops_wrong-token')
  t.like(wrong, { status: 502, body: { code: 'provider_failed' } })
  t.regex(JSON.stringify(wrong.body), /401/)
  t.notRegex(JSON.stringify(wrong.body), /ops_wrong-token/)
  t.like((await connect()).body, { connected: true, vaults: [{ id: 'v1', name: 'Agents' }] })
  t.deepEqual((await call('GET /api/secrets/vaultb/vaults')).body, { vaults: [{ id: 'v1', name: 'Agents' }] })
  t.deepEqual((await call('DELETE /api/secrets/vaultb/connect')).body, { success: true })
  t.like(await call('GET /api/secrets/vaultb/vaults'), { status: 409, body: { code: 'conflict' } })
})

test('1Password vaults are imported from their hidden fields, under prefixed names', async t => {
  const { connect, importVaults, daemon } = await withOnePassword(t)
  await connect()
  const preview = await importVaults({ prefix: 'OP_', dryRun: true })
  t.like(preview.body, { dryRun: true, imported: 0, failed: 0 })
  t.deepEqual(await daemon.secrets.names(), [])
  const { body } = await importVaults({ prefix: 'OP_' })
  t.deepEqual(
    body.secrets.map(({ name, action, done }) => [name, action, done]),
    [
      ['OP_GITHUB_WORK', 'create', true],
      ['OP_TWO_KEYS_READ_KEY', 'create', true],
      ['OP_TWO_KEYS_WRITE_KEY', 'create', true],
    ],
  )
  t.is(await daemon.secrets.resolve('OP_GITHUB_WORK'), 'gh value')
  t.notRegex(JSON.stringify(body), /gh value/)
})

test('an import from 1Password replaces secrets only on request', async t => {
  const { connect, importVaults, daemon, onePassword } = await withOnePassword(t)
  await connect()
  await importVaults()
  await daemon.secrets.set('GITHUB_WORK', 'changed here')
  t.deepEqual(
    (await importVaults()).body.secrets.map(({ action }) => action),
    ['differs', 'same', 'same'],
  )
  t.is(await daemon.secrets.resolve('GITHUB_WORK'), 'changed here')
  t.is((await importVaults({ overwrite: true })).body.imported, 1)
  t.is(await daemon.secrets.resolve('GITHUB_WORK'), 'gh value')
  t.true(
    onePassword
      .calls()
      .filter(({ args }) => args[1] === 'get')
      .every(({ args }) => args.includes('--reveal')),
  )
})

test('an unknown vault is 404, and the error lists the existing ones', async t => {
  const { connect, importVaults } = await withOnePassword(t)
  await connect()
  const reply = await importVaults({ vaults: ['Nothing'] })
  t.like(reply, { status: 404, body: { code: 'not_found' } })
  t.regex(JSON.stringify(reply.body), /it opens: Agents/)
})

test('a reference reads one 1Password field', async t => {
  const { connect, daemon } = await withOnePassword(t)
  await connect()
  t.is(await daemon.secrets.resolve('vaultb://Agents/Two keys/write key'), 'w value')
  await t.throwsAsync(daemon.secrets.resolve('vaultb://Agents/None/field'), { message: /isn't an item/ })
})
