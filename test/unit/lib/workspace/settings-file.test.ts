import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { settings, settingsSections } from '../../../../src/contract/settings.js'
import { defaultSettings } from '../../../../src/daemon/ground/settings/default-settings.js'
import { loadSettings, SettingsError, setSetting } from '../../../../src/lib/workspace/settings-file.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const tooManyAliases = [
  'a: &a [1,1,1,1,1,1,1,1,1,1]',
  'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]',
  'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]',
  'd: [*c,*c,*c,*c,*c]',
].join('\n')

const texts = [
  '',
  '{}',
  '- a list',
  'null',
  'daemon: { port: 4000 }\nunknown: 1\nembedding: { provider: none, more: 2 }',
  'daemon: null',
  'daemon: { port: many }\nhooks: 3',
  'auth: { mode: team, rateLimits: { forget: { max: 3 } } }\nprojects: { /a: b }\ncontextProfiles: { p: 1 }',
  '__proto__: { polluted: true }\nmemory: {}',
]

test('reading a file section by section equals reading it with the whole schema', t => {
  const file = join(temporaryWorkspace(t), 'agent.yaml')
  const by = { sections: settingsSections, defaults: defaultSettings }
  t.deepEqual(loadSettings(file, settings, by), loadSettings(file, settings), 'no file')
  for (const text of texts) {
    writeFileSync(file, text)
    const [quick, whole] = [loadSettings(file, settings, by), loadSettings(file, settings)]
    t.deepEqual(quick, whole, text)
    t.deepEqual(Object.keys(quick.settings), Object.keys(whole.settings), text)
  }
})

test('an undefined alias is an error with its line', t => {
  const file = join(temporaryWorkspace(t), 'agent.yaml')
  writeFileSync(file, 'daemon:\n  port: 4000\n  host: *nope\n')
  const { settings: values, errors } = loadSettings(file, settings)
  t.like(errors, [{ file, line: 3 }])
  t.regex(errors[0]?.message ?? '', /alias.*nope/i)
  t.is(values.daemon.port, 3850)
})

test('exponential aliases are an error', t => {
  const file = join(temporaryWorkspace(t), 'agent.yaml')
  writeFileSync(file, tooManyAliases)
  const { errors } = loadSettings(file, settings)
  t.is(errors.length, 1)
  t.regex(errors[0]?.message ?? '', /alias count/)
})

test('an unreadable settings file is an error that names it', t => {
  const file = join(temporaryWorkspace(t), 'agent.yaml')
  mkdirSync(file)
  const { errors } = loadSettings(file, settings)
  t.like(errors, [{ file, line: 0 }])
  t.regex(errors[0]?.message ?? '', /cannot be read: EISDIR/)
})

test('an unreadable file, or one with an undefined alias, is not changed', t => {
  const workspace = temporaryWorkspace(t)
  const broken = join(workspace, 'broken.yaml')
  writeFileSync(broken, 'x: *nope\n')
  const set = (file: string, text: string) => () => setSetting(file, 'daemon.port', text, settings)
  t.throws(set(broken, '4000'), { instanceOf: SettingsError, message: /broken\.yaml:1: .*nope/ })
  t.throws(set(workspace, '4000'), { instanceOf: SettingsError, message: /cannot be read/ })
  t.throws(set(join(workspace, 'agent.yaml'), '*nope'), {
    instanceOf: SettingsError,
    message: /daemon\.port: .*nope/,
  })
})

test('a key of a section that the file does not have is removed without a fault', t => {
  const file = join(temporaryWorkspace(t), 'agent.yaml')
  writeFileSync(file, 'daemon: { port: 4000 }\n')
  setSetting(file, 'embedding.modelPath', '', settings)
  t.is(loadSettings(file, settings).settings.daemon.port, 4000)
})
