// runs: in turn

import test from 'ava'
import { pino } from 'pino'
import { readable, runQuietly } from '../../../../../src/daemon/agents/programs/runs.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

test('frames and blanks around a line are removed, and a line is cut at 2,000 characters', t => {
  t.is(readable('\u2502  done  \u2502 \n\u2500\u2500\u2500\n  next \r\n'), 'done\n  next')
  t.is(readable('\u250c\u2500\u2510\n\u2502  two  \u2500\u2500 \n\u2514\u2500\u2518\n'), 'two')
  t.is(readable('x'.repeat(5000)).length, 2000)
})

test('a line of blanks or of pieces of frames is read in no time', t => {
  for (const part of [' ', '\u2500', ' \u2500', '\t']) {
    const line = `x${part.repeat(16_000)}y`
    const startedAt = process.cpuUsage()
    t.regex(readable(`${line}\n${line}`), /^x/u)
    t.true(process.cpuUsage(startedAt).user < 300_000, JSON.stringify(part))
  }
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
