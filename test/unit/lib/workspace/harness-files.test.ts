import { join } from 'node:path'
import test from 'ava'
import type { Harness, Install } from '../../../../src/cli/sessions/connect/entries/harness.js'
import { harnesses } from '../../../../src/cli/sessions/connect/harnesses.js'
import { thisMachine } from '../../../../src/cli/sessions/connect/plan-context.js'
import {
  filesOfHarness,
  harnessFiles,
  isKnownHarness,
  type KnownHarness,
  userFile,
} from '../../../../src/lib/workspace/harness-files.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

for (const harness of harnesses) if (isKnownHarness(harness.name)) listsFilesOf(harness, harness.name)

function listsFilesOf(harness: Harness, name: KnownHarness): void {
  test(`every user file that memory connect changes for ${harness.title} is listed`, t => {
    const machine = { ...thisMachine(temporaryWorkspace(t)), env: {}, home: temporaryWorkspace(t) }
    const install = {
      scope: 'user',
      transport: 'command',
      hookCommand: () => ({ command: 'memory' }),
      mcpWords: ['memory', 'mcp'],
      variables: { names: [] },
      origin: 'http://127.0.0.1:3850',
      ownOrigins: [],
      read: () => '',
      pluginText: () => '',
    } as unknown as Install
    const listed = filesOfHarness(name, machine).map(({ path }) => path)
    const changed = harness.edits(machine, install).map(({ file }) => file)
    t.true(changed.length > 0)
    t.deepEqual(
      changed.filter(file => !listed.includes(file)),
      [],
    )
    t.true(listed.every(path => path.startsWith(machine.home)))
  })
}

test('the variables of a harness determine its files', t => {
  const home = join('/', 'home', 'ada')
  const env = {
    CLAUDE_CONFIG_DIR: join('/', 'one'),
    CODEX_HOME: join('/', 'two'),
    XDG_CONFIG_HOME: join('/', 'three'),
  }
  t.is(userFile('claude-code', 'hooks', { env, home }), join('/', 'one', 'settings.json'))
  t.is(userFile('claude-code', 'mcp', { env, home }), join('/', 'one', '.claude.json'))
  t.is(userFile('codex', 'mcp', { env, home }), join('/', 'two', 'config.toml'))
  t.is(userFile('opencode', 'instructions', { env, home }), join('/', 'three', 'opencode', 'AGENTS.md'))
})

test('every file is listed once', t => {
  const paths = harnessFiles({ env: {}, home: join('/', 'home', 'ada') }).map(({ path }) => path)
  t.is(new Set(paths).size, paths.length)
})
