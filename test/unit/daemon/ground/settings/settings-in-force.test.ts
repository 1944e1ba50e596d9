import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
  const watched = watchSettings(file, pino({ level: 'silent' }))
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

test('team mode ends only if the file names another mode', async t => {
  const { file, values, problem } = watchText(t, team)
  writeFileSync(file, 'daemon:\n  idleTimeoutMs: 2000\n')
  await problem(/team stays active/)
  t.like(values(), { auth: { mode: 'team' }, daemon: { idleTimeoutMs: 1000 } })
  writeFileSync(file, 'auth:\n  mode: local\n')
  t.true(await until(() => values().auth.mode === 'local'))
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
  writeFileSync(file, 'auth:\n  mode: hybrid\n')
  t.true(await until(() => heard.length > 0))
  t.deepEqual(heard, ['hybrid'])
  t.is(values().auth.mode, 'hybrid')
})

test('settings with an undefined alias are refused at the start', t => {
  t.throws(() => watchText(t, 'x: *nope\n'), { instanceOf: SettingsError, message: /agent\.yaml:1: .*nope/ })
})
