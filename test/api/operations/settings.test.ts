import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { hashPassword } from '../../../src/lib/workspace/password-hash.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { startTeam } from '../../helpers/team.js'

const commented = '# mine\nrecall:\n  cards: true # for names\nhooks: {}\n'

async function write({ call }: Pick<TestDaemon, 'call'>, text: string, more: object = {}) {
  const { version } = (await call('GET /api/settings')).body
  return call('POST /api/settings', { body: { text, version, ...more } as never })
}

test('agent.yaml is returned with comments, and a valid new text is saved unchanged and applied (operations.md 7)', async t => {
  const daemon = await startDaemon(t, { settings: { git: { remote: 'upstream' } } })
  const { call, paths } = daemon
  const file = () => readFileSync(paths.settings, 'utf8')
  const before = file()
  const read = (await call('GET /api/settings')).body
  t.like(read, { file: paths.settings, exists: true, text: before, problems: [] })
  t.regex(read.inForce, /remote: upstream/u)
  const checked = await write(daemon, `${before}${commented}`, { dryRun: true })
  t.like(checked.body, { saved: false, version: read.version, errors: [], restartRequired: false })
  t.deepEqual(checked.body.changes, [{ key: 'recall.cards', before: 'false', after: 'true' }])
  t.is(file(), before)
  const saved = await write(daemon, `${before}${commented}`)
  t.like(saved.body, { saved: true, errors: [], changes: checked.body.changes })
  t.is(file(), `${before}${commented}`)
  t.is(daemon.daemon.configuration().settings.recall.cards, true)
  const next = (await call('GET /api/settings')).body
  t.is(next.version, saved.body.version)
  t.not(next.version, read.version)
  const ported = await write(daemon, `${before}daemon:\n  port: 4001\nmystery: 1\n`, { dryRun: true })
  t.true(ported.body.restartRequired)
  t.deepEqual(
    ported.body.unknown.map(({ key }) => key),
    ['mystery'],
  )
})

test('invalid text, or text based on an outdated version, changes nothing (operations.md 7)', async t => {
  const daemon = await startDaemon(t, { settings: { git: { remote: 'upstream' } } })
  const { call, paths } = daemon
  const before = readFileSync(paths.settings, 'utf8')
  for (const [text, line, message] of [
    ['recall:\n  cards: perhaps\n', 2, /true or false/u],
    ['a: [1\n', 2, /./u],
    ['a: *nowhere\n', 1, /nowhere/u],
    ['', 0, /is empty/u],
  ] as const) {
    const checked = await write(daemon, text, { dryRun: true })
    t.is(checked.status, 200, text)
    t.is(checked.body.errors[0]?.line, line, text)
    t.regex(checked.body.errors[0]?.message ?? '', message)
    const refused = await write(daemon, text)
    t.is(refused.status, 400, text)
    t.regex(JSON.stringify(refused.body), /was not saved/u)
  }
  const { version } = (await call('GET /api/settings')).body
  writeFileSync(paths.settings, `${before}# by another\n`)
  const late = await call('POST /api/settings', { body: { text: before, version } })
  t.is(late.status, 409)
  t.regex(JSON.stringify(late.body), /has changed since it was read/u)
  t.is((await write(daemon, 'x'.repeat(65_537))).status, 400)
  t.is(readFileSync(paths.settings, 'utf8'), `${before}# by another\n`)
})

test('omitting the mode does not open a team daemon, and only admins read or change settings (operations.md 7)', async t => {
  const team = await startTeam(t)
  const headers = team.admin
  const { text, version } = (await team.call('GET /api/settings', { headers })).body
  t.regex(text, /team/u)
  const without = 'recall:\n  cards: true\n'
  const refused = await team.call('POST /api/settings', { headers, body: { text: without, version } })
  t.is(refused.status, 400)
  t.regex(JSON.stringify(refused.body), /auth\.mode/u)
  const operator = team.token({ role: 'operator' })
  t.is((await team.call('GET /api/settings', { headers: operator })).status, 403)
})

test('credentials and values derived from them are masked, and a returned mask keeps the stored value (operations.md 7.1)', async t => {
  const passwordHash = await hashPassword('open sesame')
  const team = await startTeam(t, { settings: { auth: { login: { password: { passwordHash } } } } })
  const { call, paths } = team
  const headers = team.admin
  const secrets = [passwordHash, 'hunter2', 'sk-abcdefghijklmnop1234', 'swordfish9']
  const before = `${readFileSync(paths.settings, 'utf8')}# once: ${passwordHash}
inference:
  baseUrl: "https://me:hunter2@models.example.org/v1"
  apiKey: OPENAI_API_KEY # not sk-abcdefghijklmnop1234
other: { clientSecret: swordfish9, port: 1 }
`
  writeFileSync(paths.settings, before)
  const read = (await call('GET /api/settings', { headers })).body
  for (const secret of secrets) t.false(JSON.stringify(read).includes(secret), secret)
  for (const kept of ['apiKey: OPENAI_API_KEY', '//me:(masked)@models', 'clientSecret: (masked), port: 1'])
    t.true(read.text.includes(kept), kept)
  const text = read.text.replace('port: 1', 'port: 2')
  const write = (text: string, dryRun = false) =>
    call('POST /api/settings', { headers, body: { text, version: read.version, dryRun } })
  for (const [moved, line] of [
    [`${text}more: (masked)\n`, 'more'],
    [text.replace('models.example.org', 'evil.example.org'), 'inference.baseUrl'],
    [`${text}# (masked), too\n`, ''],
  ] as const) {
    const { errors } = (await write(moved, true)).body
    t.is(errors[0]?.key, line)
    t.regex(errors[0]?.message ?? '', /only works where it was shown/u)
    t.is((await write(moved)).status, 400)
  }
  const another = await write(text.replace('(masked), port', 'swordfish10, port'), true)
  t.deepEqual(another.body.errors, [])
  t.is((await write(text)).status, 200)
  t.is(readFileSync(paths.settings, 'utf8'), before.replace('port: 1', 'port: 2'))
})

test('auth can be changed only on this machine in mode local; elsewhere it is 403 with what to do (operations.md 7.2)', async t => {
  const local = await startDaemon(t, { settings: { git: { remote: 'upstream' } } })
  const ttl = 'auth:\n  sessionTokenTtlSeconds: 60\n'
  t.is((await write(local, `${readFileSync(local.paths.settings, 'utf8')}${ttl}`)).status, 200)
  for (const mode of ['team', 'hybrid']) {
    const team = await startTeam(t, { settings: { auth: { mode } } })
    const headers = team.admin
    const { text, version } = (await team.call('GET /api/settings', { headers })).body
    for (const changed of [
      text.replace(/^auth:$/mu, 'auth:\n  openToNetwork: true'),
      text.replace(mode, 'local'),
    ]) {
      const send = (dryRun: boolean) =>
        team.call('POST /api/settings', { headers, body: { text: changed, version, dryRun } })
      t.like((await send(true)).body.errors[0], { key: 'auth' })
      const refused = await send(false)
      t.is(refused.status, 403)
      t.regex(JSON.stringify(refused.body), /memory config set/u)
    }
    t.is(readFileSync(team.paths.settings, 'utf8'), text)
    const others = await team.call('POST /api/settings', {
      headers,
      body: { text: `${text}recall:\n  cards: true\n`, version },
    })
    t.is(others.status, 200)
  }
})

test('each setting is a field with its value in force and the source of that value (operations.md 7)', async t => {
  const { call, url } = await startDaemon(t, {
    settings: { git: { remote: 'upstream' }, auth: { folders: { '*': ['/srv'] } } },
    environment: { SERVICE_EMBEDDING_PROVIDER: 'static' },
  })
  const { fields } = (await call('GET /api/settings')).body
  const field = (key: string) => fields.find(one => one.key === key)
  t.like(field('git.remote'), { kind: 'text', value: '"upstream"', from: 'file', default: '"origin"' })
  t.like(field('recall.cards'), { kind: 'switch', value: 'false', from: 'default', given: null })
  t.like(field('tasks.maxConcurrent'), { kind: 'number', minimum: 1, maximum: 3 })
  t.like(field('auth.mode'), { kind: 'choice', choices: ['local', 'team', 'hybrid'] })
  t.like(field('auth.folders'), { kind: 'yaml', value: '{"*":["/srv"]}' })
  t.like(field('daemon.port'), { value: new URL(url).port, from: 'environment', variable: 'SERVICE_PORT' })
  // The file names a provider, and this variable is only its default.
  t.like(field('embedding.provider'), { value: '"none"', from: 'file', variable: null })
  t.regex(field('embedding.modelPath')?.help ?? '', /^Folder with a model of your own/u)
  t.regex(field('auth.rateLimits.login.max')?.help ?? '', /^Maximum number of requests/u)
  t.regex(
    field('dreaming.schedule')?.help ?? '',
    /^hourly \(by rules alone every five minutes\), daily or on-demand$/u,
  )
  t.deepEqual(
    fields.filter(({ help }) => help === '').map(({ key }) => key),
    [],
  )
})

test('fields are set and reset in the text, which keeps its comments (operations.md 7)', async t => {
  const daemon = await startDaemon(t, { settings: { git: { remote: 'upstream' } } })
  await write(daemon, commented)
  const set = await write(daemon, commented, {
    values: { 'recall.cards': '', 'embedding.queryPrefix': '"a: b"', 'hooks.sessionStart.recallLimit': '3' },
    dryRun: true,
  })
  t.regex(set.body.text, /^# mine\n/u)
  t.like(
    set.body.fields.find(({ key }) => key === 'embedding.queryPrefix'),
    { value: '"a: b"', from: 'file' },
  )
  t.deepEqual(
    set.body.changes.map(({ key, after }) => [key, after]),
    [
      ['embedding.queryPrefix', '"a: b"'],
      ['hooks.sessionStart.recallLimit', '3'],
      ['recall.cards', 'false'],
    ],
  )
  const wrong = await write(daemon, commented, { values: { 'recall.cards': 'perhaps' }, dryRun: true })
  t.like(wrong.body.errors[0], { key: 'recall.cards' })
  t.like(
    wrong.body.fields.find(({ key }) => key === 'recall.cards'),
    { given: '"perhaps"' },
  )
  const broken = await write(daemon, commented, { values: { 'recall.cards': '[' } })
  t.is(broken.status, 400)
  const through = await write(daemon, 'git: 1\n', { values: { 'git.branch': 'main' }, dryRun: true })
  t.true(through.body.errors.length > 0)
})
