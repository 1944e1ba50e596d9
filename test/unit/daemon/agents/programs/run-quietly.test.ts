import { performance } from 'node:perf_hooks'
import test from 'ava'
import { pino } from 'pino'
import { readable, runQuietly } from '../../../../../src/daemon/agents/programs/run-quietly.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

test('frames and blanks around a line are removed, and a line is cut at 2,000 characters', t => {
  t.is(readable('\u2502  done  \u2502 \n\u2500\u2500\u2500\n  next \r\n'), 'done\n  next')
  t.is(readable('x'.repeat(5000)).length, 2000)
})

for (const [name, line] of [
  ['blanks', `${' '.repeat(16_000)}x`],
  ['blanks and frames', `a${' \u2500'.repeat(8_000)}x`],
])
  test(`a long line of ${name} takes no time`, t => {
    const startedAt = performance.now()
    readable(`${line}\n${line}`)
    t.true(performance.now() - startedAt < 300)
  })

test('a program gets few variables, and no key of the daemon', async t => {
  const root = temporaryWorkspace(t)
  const environment = {
    PATH: process.env.PATH,
    HOME: root,
    LANG: 'C',
    npm_config_registry: 'https://registry.example.org',
    npm_config__authToken: 'canary',
    AWS_SECRET_ACCESS_KEY: 'canary',
    OPENAI_API_KEY: 'canary',
    NODE_OPTIONS: '--require canary',
    LD_PRELOAD: '',
    SERVICE_API_KEY: 'canary',
  }
  const deps = { paths: workspacePaths(root), log: pino({ level: 'silent' }), environment }
  const { output } = await runQuietly(deps, {
    command: [process.execPath, '-e', 'console.log(Object.keys(process.env).sort().join())'],
    cwd: root,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    env: { MORE: '1' },
  })
  t.is(output, 'HOME,LANG,MORE,NO_COLOR,PATH,TERM,npm_config_registry')
})
