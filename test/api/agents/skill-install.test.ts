// runs: in turn

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isAlive } from '../../../src/lib/workspace/registration.js'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { type FakeHandler, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { emptyFolder, fakeProgram } from '../../helpers/fake-program.js'
import { putSkill, skillText } from '../../helpers/skills.js'

const prelude = `
const { mkdirSync, writeFileSync, symlinkSync } = require('node:fs')
const name = process.argv[process.argv.indexOf('--skill') + 1]
const folder = 'skills/' + name
const make = () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(folder + '/SKILL.md', '---\\nname: ' + name + '\\ndescription: from npx\\n---\\n')
}
`
const works = `make(); console.log('\\u001b[32mInstalled 1 skill\\u001b[39m')`

/** Starts a daemon with an `npx` that runs `code`, and a registry. */
async function startWith(
  t: ExecutionContext,
  code: string,
  {
    registry = () => ({ skills: [] }) as unknown,
    workspace,
    fetching = '',
  }: { registry?: () => unknown; workspace?: string; fetching?: string } = {},
) {
  const npx = fakeProgram(t, 'npx', prelude + code)
  const npm = fakeProgram(t, 'npm', fetching)
  const answer: FakeHandler = (_request, response) => sendJson(response, 200, registry())
  const { url, requests } = await startHttpFake(t, answer)
  const environment = {
    PATH: `${npm.path.split(delimiter)[0]}${delimiter}${npx.path}`,
    SKILLS_API_URL: url,
    SERVICE_API_KEY: 'svc_sk_secret',
    HOME: process.env.HOME,
  }
  const daemon = await startDaemon(t, { environment, ...(workspace !== undefined && { workspace }) })
  return { daemon, npm, npx, requests, install: installer(daemon) }
}

const installer =
  ({ call }: TestDaemon) =>
  (name: string, fields: { source?: string; replace?: boolean } = {}) =>
    call('POST /api/skills/install', { body: { name, ...fields } })

const staged = ({ paths }: TestDaemon): string[] =>
  existsSync(paths.skillStaging) ? readdirSync(paths.skillStaging) : []
const skillsOf = ({ paths }: TestDaemon): string[] =>
  existsSync(paths.skills) ? readdirSync(paths.skills) : []

test('installing runs the pinned installer with the source and the name, and the skill appears', async t => {
  const { daemon, npx, install } = await startWith(t, works)
  const { status, body } = await install('tidy', { source: 'ada/skills' })
  t.is(status, 200)
  t.like(body, { success: true, name: 'tidy', output: 'Installed 1 skill', source: 'ada/skills' })
  t.deepEqual(npx.calls()[0]?.args, [
    '--no',
    '--',
    'skills',
    'add',
    'ada/skills',
    '--skill',
    'tidy',
    '-a',
    'openclaw',
    '--copy',
    '-y',
  ])
  const { skills } = (await daemon.call('GET /api/skills')).body
  t.like(skills[0], { name: 'tidy', description: 'from npx', path: join(daemon.paths.skills, 'tidy') })
  t.deepEqual(staged(daemon), [])
})

test('the installer is fetched by checksums without its scripts, and without them nothing runs', async t => {
  const look = `const { packages } = JSON.parse(require('node:fs').readFileSync('package-lock.json', 'utf8'))
    const wanted = Object.entries(packages).filter(([path]) => path !== '')
    if (wanted.length < 2 || wanted.some(([, one]) => !/^sha512-/u.test(one.integrity))) process.exit(2)`
  const good = await startWith(t, works, { fetching: look })
  t.is((await good.install('tidy', { source: 'ada/skills' })).status, 200)
  t.deepEqual(good.npm.calls()[0]?.args, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  const swapped = `console.log('npm error code EINTEGRITY'); process.exit(1)`
  const bad = await startWith(t, works, { fetching: swapped })
  const { status, body } = await bad.install('tidy', { source: 'ada/skills' })
  t.is(status, 500)
  t.regex(body.error ?? '', /its own package.*EINTEGRITY/)
  t.deepEqual([bad.npx.calls(), staged(bad.daemon)], [[], []])
})

test('the installer gets no standard input and none of our environment variables', async t => {
  const { npx, install } = await startWith(
    t,
    `process.stdin.on('data', () => {}).on('end', () => { console.log('input ended'); make() })`,
  )
  const { body } = await install('tidy', { source: 'ada/skills' })
  t.is(body.output, 'input ended')
  const { env = {} } = npx.calls()[0] ?? {}
  t.deepEqual(
    Object.keys(env).filter(name => name.startsWith('SERVICE_')),
    [],
  )
  t.like(env, { DO_NOT_TRACK: '1', GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never' })
})

test('a failing installer is 500 with its output, and leaves no folder', async t => {
  const { daemon, install } = await startWith(
    t,
    `make(); console.log('\\u25a0  No matching skills found for: tidy'); process.exit(1)`,
  )
  const { status, body } = await install('tidy', { source: 'ada/skills' })
  t.is(status, 500)
  t.like(body, { success: false, code: 'install_failed' })
  t.regex(body.error ?? '', /ada\/skills.*code 1.*No matching skills found for: tidy/)
  t.deepEqual([skillsOf(daemon), staged(daemon)], [[], []])
})

test('git’s own error about a source is part of the reply', async t => {
  const { install } = await startWith(
    t,
    `console.log('\\u25a0  Failed to clone repository\\n\\u2502  fatal: repository not found\\nInstallation failed'); process.exit(1)`,
  )
  const { body } = await install('tidy', { source: 'ada/skills' })
  t.regex(body.error ?? '', /Failed to clone repository; fatal: repository not found$/)
})

test('an installer that creates no skill of that name has failed', async t => {
  const { daemon, install } = await startWith(t, `mkdirSync('skills/other', { recursive: true })`)
  const { status, body } = await install('tidy', { source: 'ada/skills' })
  t.deepEqual([status, body.code], [500, 'install_failed'])
  t.regex(body.error ?? '', /without a skill "tidy"/)
  t.deepEqual(skillsOf(daemon), [])
})

test('a skill with a link out of its folder is not installed', async t => {
  const { daemon, install } = await startWith(t, `make(); symlinkSync('/', folder + '/root')`)
  const { status, body } = await install('tidy', { source: 'ada/skills' })
  t.is(status, 500)
  t.regex(body.error ?? '', /link that leads out/)
  t.deepEqual(skillsOf(daemon), [])
})

test('without npx the reply says so', async t => {
  const daemon = await startDaemon(t, { environment: { PATH: emptyFolder(t) } })
  const { status, body } = await installer(daemon)('tidy', { source: 'ada/skills' })
  t.is(status, 500)
  t.like(body, { success: false, code: 'install_failed' })
  t.regex(body.error ?? '', /npx are not on the PATH/)
})

test('of two concurrent installations with one name, one succeeds and the other is 409', async t => {
  const { daemon, npx, install } = await startWith(t, `setTimeout(() => make(), 300)`)
  const replies = await Promise.all([
    install('tidy', { source: 'ada/skills' }),
    install('tidy', { source: 'bob/skills' }),
  ])
  t.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
  t.is(replies.find(({ status }) => status === 409)?.body.code, 'conflict')
  t.is(npx.calls().length, 1)
  t.deepEqual(skillsOf(daemon), ['tidy'])
})

test('installing over an existing skill is 409 and leaves it unchanged', async t => {
  const { daemon, npx, install } = await startWith(t, works)
  putSkill(daemon.paths, 'tidy')
  const { status, body } = await install('tidy', { source: 'ada/skills' })
  t.deepEqual([status, body.code, npx.calls().length], [409, 'conflict', 0])
  t.is(readFileSync(join(daemon.paths.skills, 'tidy', 'SKILL.md'), 'utf8'), skillText('tidy'))
})

test('with replace, the new skill replaces the old one with all of its files', async t => {
  const { daemon, install } = await startWith(t, works)
  putSkill(daemon.paths, 'tidy', undefined, { old: 'x' })
  t.is((await install('tidy', { source: 'ada/skills', replace: true })).status, 200)
  t.deepEqual(readdirSync(join(daemon.paths.skills, 'tidy')), ['SKILL.md'])
})

test('a failed replacement leaves the old skill in place', async t => {
  const { daemon, install } = await startWith(t, 'process.exit(3)')
  putSkill(daemon.paths, 'tidy')
  t.is((await install('tidy', { source: 'ada/skills', replace: true })).status, 500)
  t.is((await daemon.call('GET /api/skills')).body.count, 1)
})

test('without a source, the registry supplies it when there is exactly one', async t => {
  const registry = () => ({
    skills: [
      { id: '1', name: 'tidy', installs: 3, source: 'ada/skills' },
      { id: '2', name: 'tidy-up', installs: 9, source: 'bob/skills' },
    ],
  })
  const { npx, requests, install } = await startWith(t, works, { registry })
  t.is((await install('tidy')).body.source, 'ada/skills')
  t.is(npx.calls()[0]?.args[4], 'ada/skills')
  t.regex(requests[0]?.path ?? '', /^\/api\/search\?q=tidy&limit=/)
})

test('when several sources have the name, the caller has to choose one', async t => {
  const registry = () => ({
    skills: [
      { name: 'tidy', installs: 3, source: 'ada/skills' },
      { name: 'tidy', installs: 9, source: 'bob/skills' },
    ],
  })
  const { npx, install } = await startWith(t, works, { registry })
  const { status, body } = await install('tidy')
  t.deepEqual([status, npx.calls().length], [500, 0])
  t.regex(body.error ?? '', /bob\/skills, ada\/skills/)
})

test('a name unknown to the registry is passed to the installer as the package', async t => {
  const { npx, install } = await startWith(t, works)
  t.is((await install('tidy')).status, 200)
  t.is(npx.calls()[0]?.args[4], 'tidy')
})

test('an invalid source from the registry is not used', async t => {
  const registry = () => ({ skills: [{ name: 'tidy', source: '--upload-pack=evil' }] })
  const { npx, install } = await startWith(t, works, { registry })
  await install('tidy')
  t.is(npx.calls()[0]?.args[4], 'tidy')
})

for (const source of [
  '-g',
  '--all',
  '/etc',
  './here',
  '../there',
  'a/../b',
  'file:///etc',
  'ext::sh -c id',
  'http://host/a',
  'https://me:secret@host/a',
  'git@-oProxyCommand=id:a/b',
  'a b/c',
  'a/b;id',
  '$(id)/b',
  'a/`id`',
  '',
])
  test(`the source ${JSON.stringify(source)} is refused with 400`, async t => {
    const { npx, install } = await startWith(t, works)
    const { status, body } = await install('tidy', { source })
    t.deepEqual([status, body.code, npx.calls().length], [400, 'validation_failed', 0])
  })

test('stopping the daemon ends an installation with all of its processes', async t => {
  const workspace = temporaryWorkspace(t)
  const pidFile = join(workspace, 'pid')
  const { daemon, install } = await startWith(
    t,
    `make()
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
    setInterval(() => {}, 1000)`,
    { workspace },
  )
  const reply = install('tidy', { source: 'ada/skills' }).catch(() => undefined)
  await until(() => existsSync(pidFile))
  await daemon.stop()
  await reply
  t.deepEqual(skillsOf(daemon), [])
  const pid = Number(readFileSync(pidFile, 'utf8'))
  t.truthy(await until(() => !isAlive(pid)))
})

test('leftovers of a killed installation are removed at the next start', async t => {
  const workspace = temporaryWorkspace(t)
  const left = join(workspace, '.daemon', 'skill-staging', 'one', 'skills', 'tidy')
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, 'SKILL.md'), 'half')
  const { daemon } = await startWith(t, works, { workspace })
  t.deepEqual([staged(daemon), skillsOf(daemon)], [[], []])
})

test('a skill that was moved aside when the daemon was killed is restored at the next start', async t => {
  const workspace = temporaryWorkspace(t)
  const aside = join(workspace, '.daemon', 'skill-staging', 'one', 'replaced')
  putSkill({ skills: aside }, 'tidy', skillText('tidy', 'version: mine\n'))
  putSkill({ skills: aside }, 'neat', skillText('neat', 'version: old\n'))
  putSkill({ skills: join(workspace, 'skills') }, 'neat', skillText('neat', 'version: new\n'))
  const { daemon } = await startWith(t, works, { workspace })
  const { skills } = (await daemon.call('GET /api/skills')).body
  t.deepEqual(
    skills.map(({ name, version }) => [name, version]),
    [
      ['neat', 'new'],
      ['tidy', 'mine'],
    ],
  )
  t.deepEqual(staged(daemon), [])
})

/** Creates folders nested deeper than the system's path limit. */
function putTooDeep(folder: string): void {
  const names = Array.from({ length: 12 }, () => 'd'.repeat(200))
  const inner = join(folder, 'inner')
  mkdirSync(join(inner, ...names), { recursive: true })
  const outer = join(folder, ...names)
  mkdirSync(outer, { recursive: true })
  renameSync(inner, join(outer, 'inner'))
}

test('a removed skill does not come back from leftovers of its replacement', async t => {
  // Windows accepts longer paths and has no `rm`.
  if (process.platform === 'win32') return t.pass()
  const workspace = temporaryWorkspace(t)
  const { daemon, install } = await startWith(t, works, { workspace })
  t.teardown(() => execFileSync('rm', ['-rf', workspace]))
  putSkill(daemon.paths, 'tidy')
  putTooDeep(join(daemon.paths.skills, 'tidy'))
  t.is((await install('tidy', { source: 'ada/skills', replace: true })).status, 200)
  t.is(staged(daemon).length, 1)
  await daemon.call('DELETE /api/skills/:name', { params: { name: 'tidy' } })
  t.deepEqual(skillsOf(daemon), [])
  await daemon.stop()
  const again = await startWith(t, works, { workspace })
  t.deepEqual(skillsOf(again.daemon), [])
})
