import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { emptyFolder, fakeProgram } from '../../helpers/fake-program.js'

const python = process.platform === 'win32' ? 'python' : 'python3'

/** Starts a daemon whose `python3` runs `code` and whose workspace has the script by default. */
async function startWith(t: ExecutionContext, code: string, { script = true, path = '' } = {}) {
  const program = fakeProgram(t, python, code)
  const daemon = await startDaemon(t, {
    environment: { PATH: path || program.path, SERVICE_API_KEY: 'svc_sk_secret' },
  })
  const { harnessScript } = daemon.paths
  if (script) {
    mkdirSync(join(harnessScript, '..'), { recursive: true })
    writeFileSync(harnessScript, 'print()')
  }
  return { daemon, program, regenerate: () => daemon.call('POST /api/harnesses/regenerate') }
}

test('the list contains the files of every known harness and whether each exists', async t => {
  const home = temporaryWorkspace(t)
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, '.claude', 'settings.json'), '{}')
  mkdirSync(join(home, 'codex-home'))
  writeFileSync(join(home, 'codex-home', 'AGENTS.md'), 'be kind')
  mkdirSync(join(home, '.gemini', 'settings.json'), { recursive: true })
  const { call } = await startDaemon(t, { environment: { HOME: home, CODEX_HOME: join(home, 'codex-home') } })
  const { harnesses } = (await call('GET /api/harnesses')).body
  t.deepEqual(
    harnesses.filter(({ exists }) => exists).map(({ name, path, kinds }) => [name, path, kinds]),
    [
      ['claude-code', join(home, '.claude', 'settings.json'), ['settings', 'hooks']],
      ['codex', join(home, 'codex-home', 'AGENTS.md'), ['instructions']],
    ],
  )
  t.deepEqual([...new Set(harnesses.map(({ name }) => name))].sort(), [
    'antigravity',
    'claude-code',
    'cline',
    'codex',
    'copilot',
    'cursor',
    'devin',
    'droid',
    'gemini',
    'grok',
    'hermes-agent',
    'junie',
    'kilo',
    'kimi',
    'kiro',
    'oh-my-pi',
    'openclaw',
    'opencode',
    'pi',
    'qwen',
    'vscode',
  ])
  const paths = harnesses.map(({ path }) => path)
  t.is(new Set(paths).size, paths.length)
})

test('the list reflects the current files on disk', async t => {
  const home = temporaryWorkspace(t)
  const { call } = await startDaemon(t, { environment: { HOME: home } })
  const isThere = async () => {
    const { harnesses } = (await call('GET /api/harnesses')).body
    return harnesses.some(
      ({ name, path, exists }) => name === 'cursor' && path.endsWith('mcp.json') && exists,
    )
  }
  t.false(await isThere())
  mkdirSync(join(home, '.cursor'))
  writeFileSync(join(home, '.cursor', 'mcp.json'), '{}')
  t.true(await isThere())
})

test('regenerating runs the workspace’s script in the workspace', async t => {
  const { daemon, program, regenerate } = await startWith(t, `console.log('made 3 files')`)
  const { status, body } = await regenerate()
  t.is(status, 200)
  t.like(body, { success: true, output: 'made 3 files' })
  const [call] = program.calls()
  t.deepEqual(call?.args, [daemon.paths.harnessScript])
  t.is(call?.cwd, daemon.paths.root)
  t.is(call?.env.SERVICE_WORKSPACE, daemon.paths.root)
  t.is(call?.env.SERVICE_API_KEY, undefined)
})

test('without the script, regenerating is 404 and nothing runs', async t => {
  const { program, regenerate } = await startWith(t, '', { script: false })
  const { status, body } = await regenerate()
  t.deepEqual([status, body.code, program.calls().length], [404, 'not_found', 0])
  t.regex(body.error ?? '', /generate-harness-configs\.py/)
})

test('a failing script is reported as unsuccessful, with the end of its output', async t => {
  const { regenerate } = await startWith(t, `console.error('Traceback\\nKeyError: x'); process.exit(1)`)
  const { status, body } = await regenerate()
  t.is(status, 200)
  t.like(body, { success: false, output: 'Traceback\nKeyError: x' })
  t.regex(body.error ?? '', /code 1: KeyError: x/)
})

test('without Python the reply says so', async t => {
  const { regenerate } = await startWith(t, '', { path: `${emptyFolder(t)}${delimiter}` })
  const { status, body } = await regenerate()
  t.is(status, 200)
  t.false(body.success)
  t.regex(body.error ?? '', /python3? is not on the PATH/)
})

test('only the end of a long output is returned', async t => {
  const { regenerate } = await startWith(
    t,
    `console.log(Array.from({ length: 100000 }, (_, line) => 'line ' + line).join('\\n'))`,
  )
  const { body } = await regenerate()
  t.true(body.output.length <= 8000)
  t.true(body.output.endsWith('line 99999'))
})

test('a second concurrent run is 409', async t => {
  const finish = join(temporaryWorkspace(t), 'finish')
  const { regenerate } = await startWith(
    t,
    `setInterval(() => require('node:fs').existsSync(${JSON.stringify(finish)}) && process.exit(), 20)`,
  )
  const replies = [regenerate(), regenerate()]
  t.is((await Promise.race(replies)).status, 409)
  writeFileSync(finish, '')
  t.deepEqual((await Promise.all(replies)).map(({ status }) => status).sort(), [200, 409])
})
