import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { watchSettings } from '../../../../../src/daemon/ground/settings/settings-in-force.js'
import { SettingsError } from '../../../../../src/lib/workspace/settings-file.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

const team = 'auth:\n  mode: team\ndaemon:\n  idleTimeoutMs: 1000\n'

/** Watches the settings of a new workspace. */
function watchText(t: ExecutionContext, text?: string) {
  const file = join(temporaryWorkspace(t), 'agent.yaml')
  if (text !== undefined) writeFileSync(file, text)
  const watched = watchSettings(file, `${file}.record`, pino({ level: 'silent' }))
  t.teardown(watched.close)
  const problems = () => watched.current().problems.map(({ message }) => message)
  return {
    file,
    watched,
    values: () => watched.current().settings,
    problem: (pattern: RegExp) => until(() => problems().some(message => pattern.test(message))),
    solved: () => until(() => problems().length === 0),
  }
}

for (const [what, change, pattern] of [
  ['removed', (file: string) => rmSync(file), /is missing/],
  ['emptied', (file: string) => writeFileSync(file, ''), /is empty/],
  ['reduced to comments', (file: string) => writeFileSync(file, '# auth:\n'), /is empty/],
] as const)
  test(`a settings file that is ${what} leaves the last valid settings active`, async t => {
    const { file, watched, values, problem, solved } = watchText(t, team)
    // The first change event follows the start of the watch.
    await new Promise<void>(resolve => watched.onChange(() => resolve()))
    change(file)
    await problem(pattern)
    t.like(values(), { auth: { mode: 'team' }, daemon: { idleTimeoutMs: 1000 } })
    writeFileSync(file, team.replace('1000', '2000'))
    await solved()
    t.like(values(), { auth: { mode: 'team' }, daemon: { idleTimeoutMs: 2000 } })
  })

test('a file alone never ends team mode, also after a restart, until a person accepts it', async t => {
  const { file, values, problem, watched } = watchText(t, team)
  writeFileSync(file, 'daemon:\n  idleTimeoutMs: 2000\n')
  await problem(/team stays active/)
  t.like(values(), { auth: { mode: 'team' }, daemon: { idleTimeoutMs: 1000 } })
  writeFileSync(file, 'auth:\n  mode: local\nmemory:\n  synthesis:\n    model: other\n')
  await problem(/waits for your yes: memory git settings/)
  t.like(values(), { auth: { mode: 'team' }, memory: { synthesis: { model: 'other' } } })
  t.deepEqual(watched.waiting.list(), [{ path: ['auth', 'mode'], before: 'team', after: 'local' }])
  const restarted = watchSettings(file, `${file}.record`, pino({ level: 'silent' }))
  t.teardown(restarted.close)
  t.is(restarted.current().settings.auth.mode, 'team')
  await restarted.waiting.accept()
  t.is(restarted.current().settings.auth.mode, 'local')
  t.deepEqual(restarted.waiting.list(), [])
})

for (const [what, text] of [
  ['names mode local', 'auth:\n  mode: local\n'],
  ['names no mode', 'daemon:\n  port: 0\n'],
  ['is empty', ''],
] as const)
  test(`team mode survives a file that ${what} since the daemon stopped`, async t => {
    const { file, watched } = watchText(t, team)
    await watched.close()
    writeFileSync(file, text)
    const restarted = watchSettings(file, `${file}.record`, pino({ level: 'silent' }))
    t.teardown(restarted.close)
    t.is(restarted.current().settings.auth.mode, 'team')
  })

const elsewhere = 'https://elsewhere.example/v1'

test('security settings that others bring wait, other settings apply, and a refusal restores the file', async t => {
  const own = '# mine\nembedding:\n  provider: none # no model\nrecall:\n  claims: false\n'
  const { file, values, watched } = watchText(t, own)
  await watched.waiting.during(async () => {
    writeFileSync(
      file,
      `# mine\nembedding:\n  provider: openai # no model\n  baseUrl: ${elsewhere}\n  apiKey: KEY\nrecall:\n  claims: true\ndocuments: { allowPrivateHosts: true }\nauth: { openToNetwork: true }\ntelemetry: { memorySearchQaEnabled: true, delivery: { url: ${elsewhere} } }\n`,
    )
  })
  t.like(values(), {
    embedding: { provider: 'none', baseUrl: undefined, apiKey: undefined },
    recall: { claims: true },
    documents: { allowPrivateHosts: false },
    auth: { openToNetwork: false },
    telemetry: { memorySearchQaEnabled: true, delivery: { url: undefined } },
  })
  t.deepEqual(
    watched.waiting.list().map(({ path }) => path.join('.')),
    [
      'auth.openToNetwork',
      'embedding.apiKey',
      'embedding.baseUrl',
      'embedding.provider',
      'documents.allowPrivateHosts',
      'telemetry.delivery.url',
    ],
  )
  await watched.waiting.refuse()
  t.deepEqual(watched.waiting.list(), [])
  const text = readFileSync(file, 'utf8')
  t.false(text.includes(elsewhere))
  t.regex(text, /# mine[\s\S]*provider: none[\s\S]*claims: true[\s\S]*memorySearchQaEnabled: true/)
})

test('a second change by others, a restart and a later edit do not let in what waits', async t => {
  const { file, values, watched, problem } = watchText(t, 'embedding: { provider: none }\n')
  const bring = (text: string) => watched.waiting.during(async () => writeFileSync(file, text))
  await bring(`embedding: { provider: none, baseUrl: ${elsewhere} }\n`)
  await bring('embedding: x\n')
  await bring(`embedding: { provider: openai, baseUrl: ${elsewhere} }\n`)
  t.like(values().embedding, { provider: 'none', baseUrl: undefined })
  await watched.change({ 'git.autoSync': true })
  t.true(values().git.autoSync, 'a change by the API applies')
  t.is(values().embedding.baseUrl, undefined)
  const edited = `embedding: { provider: openai, baseUrl: ${elsewhere}, model: m }\ngit: { autoSync: true }\n`
  writeFileSync(file, edited)
  await problem(/waits for your yes/)
  t.is(watched.file.check(edited).settings.embedding.baseUrl, undefined)
  const restarted = watchSettings(file, `${file}.record`, pino({ level: 'silent' }))
  t.teardown(restarted.close)
  t.is(restarted.current().settings.embedding.provider, 'none')
  await restarted.waiting.accept()
  t.like(restarted.current().settings.embedding, { provider: 'openai', baseUrl: elsewhere, model: 'm' })
})

test('a value that a person writes for a setting that waits is in force at once', async t => {
  const { file, values, watched } = watchText(t, 'embedding: { provider: none }\n')
  await watched.waiting.during(async () =>
    writeFileSync(file, `embedding: { provider: none, baseUrl: ${elsewhere}, apiKey: KEY }\n`),
  )
  await watched.file.replace('embedding: { provider: none, baseUrl: http://127.0.0.1:1/v1, apiKey: KEY }\n')
  t.like(values().embedding, { baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined })
  t.deepEqual(
    watched.waiting.list().map(({ path }) => path.join('.')),
    ['embedding.apiKey'],
  )
})

test('a new agent.yaml is loaded when it appears', async t => {
  const { file, values, watched } = watchText(t)
  t.deepEqual(watched.current().problems, [])
  // Renames a new file over the old one, like memory config set.
  writeFileSync(`${file}.tmp`, team)
  renameSync(`${file}.tmp`, file)
  t.true(await until(() => values().auth.mode === 'team'))
})

test('an undefined alias or a folder in place of the file leaves the last valid settings active', async t => {
  const { file, values, problem } = watchText(t, team)
  writeFileSync(file, 'auth:\n  mode: *nope\n')
  await problem(/nope/)
  t.is(values().auth.mode, 'team')
  rmSync(file)
  mkdirSync(file)
  await problem(/EISDIR|is missing/)
  t.is(values().auth.mode, 'team')
})

test('a failing listener does not stop other listeners or the new settings', async t => {
  const { file, watched, values } = watchText(t, team)
  const heard: string[] = []
  watched.onChange(() => {
    throw new Error('cannot follow')
  })
  watched.onChange(({ auth }) => heard.push(auth.mode))
  writeFileSync(file, `${team}memory:\n  synthesis:\n    model: other\n`)
  t.true(await until(() => values().memory.synthesis.model === 'other'))
  t.true(heard.length > 0)
})

test('settings with an undefined alias are refused at the start', t => {
  t.throws(() => watchText(t, 'x: *nope\n'), { instanceOf: SettingsError, message: /agent\.yaml:1: .*nope/ })
})
