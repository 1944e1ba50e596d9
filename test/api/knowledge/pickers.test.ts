// runs: in turn

import { readdirSync } from 'node:fs'
import { delimiter } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openPicker } from '../../../src/daemon/knowledge/pickers/routes.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { emptyFolder, type FakeProgram, fakeProgram } from '../../helpers/fake-program.js'

/** Starts a daemon on a desktop that has only these dialog programs. */
async function onDesktop(
  t: ExecutionContext,
  programs: Record<string, string>,
  environment: NodeJS.ProcessEnv = {},
) {
  const fakes = new Map(Object.entries(programs).map(([name, code]) => [name, fakeProgram(t, name, code)]))
  const folders = [...fakes.values()].map(({ path }) => path.split(delimiter)[0])
  const PATH = folders.length > 0 ? folders.join(delimiter) : emptyFolder(t)
  const daemon = await startDaemon(t, { environment: { DISPLAY: ':1', PATH, ...environment } })
  return { ...daemon, fake: (name: string) => fakes.get(name) as FakeProgram }
}

/** A request from the daemon's own machine. */
const own = { peer: undefined }
const prints = (text: string, code = 0): string =>
  `process.stdout.write(${JSON.stringify(text)}); process.exitCode = ${code}`
const complains = (text: string, code = 1): string =>
  `process.stderr.write(${JSON.stringify(text)}); process.exitCode = ${code}`
const noDisplay = complains('(zenity:1): Gtk-WARNING **: cannot open display: :1')

test('files and a folder are chosen in a dialog, whose title is passed as one argument', async t => {
  const title = `"; rm -rf ~ $(id) 'x' --multiple`
  const { call, fake } = await onDesktop(t, { zenity: prints('/home/a b/one.md\n/home/two.pdf\n') })
  const files = await call('POST /api/sources/pick-files', { body: { title } })
  t.deepEqual(files.body, { paths: ['/home/a b/one.md', '/home/two.pdf'] })
  const folder = await call('POST /api/sources/pick-directory', { body: {} })
  t.deepEqual(folder.body, { path: '/home/a b/one.md' })
  const [first, second] = fake('zenity').calls()
  t.deepEqual(first?.args, ['--file-selection', '--multiple', '--separator=\n', `--title=${title}`])
  t.deepEqual(second?.args, ['--file-selection', '--directory', '--title=Choose a folder'])
  const refused = await call('POST /api/sources/pick-files', { body: { title: 'a\nb' } })
  t.is(refused.status, 400)
})

test('a closed dialog returns nothing, whatever its toolkit prints', async t => {
  const { call } = await onDesktop(t, {
    zenity: complains('Gtk-Message: Failed to load module "canberra-gtk-module"'),
  })
  t.deepEqual((await call('POST /api/sources/pick-files')).body, { paths: [] })
  t.deepEqual((await call('POST /api/sources/pick-directory', { body: {} })).body, { path: null })
})

test('if one program cannot show a dialog, the next one is tried', async t => {
  const { call, fake } = await onDesktop(t, { zenity: noDisplay, kdialog: prints('/home/one.md\n') })
  t.deepEqual((await call('POST /api/sources/pick-files', { body: {} })).body, { paths: ['/home/one.md'] })
  t.deepEqual(fake('kdialog').calls()[0]?.args, [
    '--title=Choose files to import',
    '--multiple',
    '--separate-output',
    '--getopenfilename',
    '.',
  ])
})

test('without a screen or a dialog program, 501 says to pass paths', async t => {
  const desktops: [Record<string, string>, NodeJS.ProcessEnv][] = [
    [{ zenity: prints('/home/one.md\n') }, { DISPLAY: '' }],
    [{}, {}],
    [{ zenity: noDisplay, kdialog: complains('qt.qpa.xcb: could not connect to display :1', 134) }, {}],
  ]
  for (const [programs, environment] of desktops) {
    const { call } = await onDesktop(t, programs, environment)
    const { status, body } = await call('POST /api/sources/pick-files', { body: {} })
    t.is(status, 501)
    t.is(body.code, 'not_implemented')
    t.regex(String(body.error), /pass the paths/u)
  }
})

test('the dialog closes when its client disconnects, and only one is open at a time', async t => {
  const { url, call, paths, fake } = await onDesktop(t, { zenity: 'setInterval(() => {}, 1000)' })
  const running = () => readdirSync(paths.children)
  const leave = new AbortController()
  const reply = fetch(`${url}/api/sources/pick-files`, { method: 'POST', signal: leave.signal })
  await until(() => fake('zenity').calls().length === 1)
  t.is(running().length, 1)
  t.like(await call('POST /api/sources/pick-files'), { status: 503, body: { code: 'overloaded' } })
  const [first] = fake('zenity').calls()
  t.false(Object.keys(first?.env ?? {}).some(name => name.startsWith('SERVICE_')))
  leave.abort()
  await t.throwsAsync(reply, { any: true })
  await until(() => running().length === 0)
})

test('no dialog opens for a caller on another machine', async t => {
  const { daemon, fake } = await onDesktop(t, { zenity: prints('/home/one.md\n') })
  const options = { kind: 'files', title: 'x', signal: new AbortController().signal } as const
  await t.throwsAsync(openPicker(daemon, { peer: '10.0.0.9' }, options), { code: 'forbidden' })
  t.deepEqual(fake('zenity').calls(), [])
})

test('macOS uses AppleScript when a user is logged in at the screen, with the title after the options', async t => {
  const programs = {
    launchctl: prints('Aqua\n'),
    osascript: prints('/Users/a/one.md\n/Users/a/two.md\n'),
  }
  const options = { kind: 'files', title: '-e quit', platform: 'darwin' } as const
  const { signal } = new AbortController()
  const aqua = await onDesktop(t, programs)
  t.deepEqual(await openPicker(aqua.daemon, own, { ...options, signal }), [
    '/Users/a/one.md',
    '/Users/a/two.md',
  ])
  t.deepEqual(aqua.fake('osascript').calls()[0]?.args.slice(-2), ['pick', '-e quit'])
  const ssh = await onDesktop(t, { ...programs, launchctl: prints('Background\n') })
  await t.throwsAsync(openPicker(ssh.daemon, own, { ...options, signal }), { code: 'not_implemented' })
  t.deepEqual(ssh.fake('osascript').calls(), [])
  const cancelled = await onDesktop(t, {
    ...programs,
    osascript: complains('0:51: execution error: User canceled. (-128)'),
  })
  t.deepEqual(await openPicker(cancelled.daemon, own, { ...options, signal }), [])
})

test('Windows uses PowerShell, with the title in an environment variable', async t => {
  const name = 'powershell.exe'
  const { signal } = new AbortController()
  const options = { kind: 'directory', title: "'; rm x", platform: 'win32', signal } as const
  const chosen = await onDesktop(t, { [name]: prints('/notes\r\n') })
  t.deepEqual(await openPicker(chosen.daemon, own, options), ['/notes'])
  const [call] = chosen.fake(name).calls()
  t.is(call?.env.PICKER_TITLE, "'; rm x")
  t.deepEqual(call?.args.slice(0, 3), ['-NoProfile', '-STA', '-Command'])
  t.false(call?.args.join(' ').includes('rm x'))
  const closed = await onDesktop(t, { [name]: 'process.exitCode = 2' })
  t.deepEqual(await openPicker(closed.daemon, own, options), [])
  const service = await onDesktop(t, { [name]: 'process.exitCode = 3' })
  await t.throwsAsync(openPicker(service.daemon, own, options), { code: 'not_implemented' })
})
