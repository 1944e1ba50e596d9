// runs: in turn

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { fakeProgram } from '../../helpers/fake-program.js'
import { filesIn, root as repository } from '../../helpers/source-tree.js'

/** Variables that a daemon may have, and no program of others needs. */
const keys = {
  AWS_SECRET_ACCESS_KEY: 'canary',
  OPENAI_API_KEY: 'canary',
  GITHUB_TOKEN: 'canary',
  npm_config__authToken: 'canary',
  NODE_OPTIONS: '--no-deprecation',
  PYTHONPATH: '/canary',
  GIT_EXTERNAL_DIFF: '/canary',
  SERVICE_ADMIN_PASSWORD: 'canary',
}

/** Windows has neither zenity nor /usr/bin. */
const unix = process.platform === 'win32' ? test.skip : test

unix('programs that the daemon starts get a short list of variables, and no key (security.md)', async t => {
  const names = ['git', 'zenity', 'bw', 'op', 'npm', 'npx', 'python3', 'shown']
  const codeOf = (name: string) => (name === 'npm' ? '' : 'process.exitCode = 1')
  const fakes = new Map(names.map(name => [name, fakeProgram(t, name, codeOf(name))]))
  const PATH = [...fakes.values()].map(({ path }) => path.split(delimiter)[0]).join(delimiter)
  const workspace = temporaryWorkspace(t)
  mkdirSync(join(workspace, 'scripts'))
  writeFileSync(join(workspace, 'scripts', 'generate-harness-configs.py'), '')
  const environment = {
    ...keys,
    PATH: `${PATH}${delimiter}/usr/bin${delimiter}/bin`,
    DISPLAY: ':1',
    LANG: 'C',
  }
  const { call } = await startDaemon(t, { workspace, environment })
  await call('POST /api/git/init', { body: { dryRun: true } })
  await call('POST /api/sources/pick-files', { body: {} })
  await call('POST /api/secrets/vaulta/connect', { body: { session: 'a-session' } })
  await call('POST /api/secrets/vaultb/connect', { body: { token: 'a-token' } })
  await call('POST /api/skills/install', { body: { name: 'pdf', source: 'owner/repository' } })
  await call('POST /api/harnesses/regenerate', {})
  await call('POST /api/secrets/:name', { params: { name: 'MINE' }, body: { value: 'of the command' } })
  await call('POST /api/secrets/exec', { body: { command: 'shown', secrets: { MINE: 'MINE' } } })
  for (const [name, fake] of fakes) {
    const [{ env }] = await until(() => {
      const calls = fake.calls()
      return calls.length > 0 ? (calls as [(typeof calls)[number]]) : undefined
    })
    t.is(env.LANG, 'C', name)
    for (const key of Object.keys(keys)) t.false(key in env, `${key} reached ${name}`)
  }
})

/** Programs that are started elsewhere than by `runGroup`, or with another environment, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'src/daemon/platform/processes/run-group.ts':
    'it starts all of them, with the environment that it is given',
  'src/daemon/agents/tasks/execute-run.ts': 'agents of tasks get the environment without SERVICE_...',
  'src/daemon/agents/tasks/run-acp-agent.ts': 'it passes on what execute-run.ts gives it',
}

test('each program of the daemon is started with `passedVariables` (security.md)', t => {
  const starting = filesIn('src/daemon')
    .map(path => ({ path, text: readFileSync(join(repository, path), 'utf8') }))
    .filter(({ text }) => /\brunGroup\(|from '(?:execa|node:child_process)'/u.test(text))
    .filter(
      ({ text }) =>
        !/^import type [^\n]*'(?:execa|node:child_process)'/mu.test(text) || /runGroup\(/u.test(text),
    )
  const faults = starting
    .filter(({ path, text }) => !(path in exceptions) && !/\bpassedVariables\(|\benv: \{\}/u.test(text))
    .map(({ path }) => path)
  t.deepEqual(faults, [])
  t.true(starting.length > 5)
})
