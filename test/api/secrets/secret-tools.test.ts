import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

const value = 'correct-horse-battery-staple'

test('secret_list returns names without values (mcp.md 4.9)', async t => {
  const { url, daemon } = await startDaemon(t)
  const client = await connectHttp(t, url)
  t.regex((await callTool(client, 'secret_list', {})).text, /memory secrets set/)
  await daemon.secrets.set('API_KEY', value)
  const { text, data } = await callTool(client, 'secret_list', {})
  t.deepEqual(data, { secrets: ['API_KEY'] })
  t.is(text, '1 secret:\n- API_KEY')
})

test('secret_exec runs a command, and secret_exec_status returns its redacted output (mcp.md 4.9)', async t => {
  const { url, daemon } = await startDaemon(t)
  await daemon.secrets.set('API_KEY', value)
  const client = await connectHttp(t, url)
  const secrets = { KEY: 'API_KEY' }
  const queued = await callTool(client, 'secret_exec', { command: 'echo "key $KEY"; exit 3', secrets })
  t.like(queued.data, { status: 'queued', timeoutMs: 300_000 })
  const { text, data } = await until(async () => {
    const answer = await callTool(client, 'secret_exec_status', { jobId: queued.data.id })
    return answer.data.result ? answer : undefined
  })
  t.like(data, { status: 'completed', result: { stdout: 'key [REDACTED]\n', code: 3, timedOut: false } })
  t.is((await callTool(client, 'secret_exec_status', { id: queued.data.id })).text, text)
  t.regex(text, /^completed, exit code 3, after [\d.]+ s\n\nstdout:\nkey \[REDACTED\]\n$/)
})

test('secret_exec runs where the agent works, and says where (mcp.md 4.9)', async t => {
  const { url, daemon } = await startDaemon(t)
  await daemon.secrets.set('API_KEY', value)
  const folder = join(realpathSync(temporaryFolder(t, 'memory-service-agent')), 'ä 100% b')
  mkdirSync(folder)
  const runIn = async (headers: Record<string, string>) => {
    const client = await connectHttp(t, url, { headers })
    const queued = await callTool(client, 'secret_exec', { command: 'pwd', secrets: { KEY: 'API_KEY' } })
    const { result } = await until(async () => {
      const { data } = await callTool(client, 'secret_exec_status', { jobId: queued.data.id })
      return data.result ? data : undefined
    })
    t.is(`${queued.data.cwd}\n`, result.stdout)
    t.true(queued.text.includes(` in ${queued.data.cwd},`), queued.text)
    return queued.data.cwd
  }
  t.is(await runIn({ 'x-service-cwd': encodeURI(folder) }), folder)
  t.is(await runIn({ 'x-service-project': encodeURIComponent(folder) }), folder)
  t.is(await runIn({ 'x-service-cwd': encodeURI(join(folder, 'gone')) }), daemon.paths.root)
})

test('secret_exec accepts at most half an hour (mcp.md 8)', async t => {
  const { url, daemon } = await startDaemon(t)
  await daemon.secrets.set('API_KEY', value)
  const client = await connectHttp(t, url)
  const run = (timeoutSeconds: number) =>
    callTool(client, 'secret_exec', { command: 'true', secrets: { KEY: 'API_KEY' }, timeoutSeconds })
  t.is((await run(1800)).data.timeoutMs, 1_800_000)
  t.true((await run(1801)).isError)
})

test('secret_exec says what to do about a missing secret (mcp.md 4.9)', async t => {
  const { url } = await startDaemon(t)
  const client = await connectHttp(t, url)
  const unknown = await callTool(client, 'secret_exec', { command: 'true', secrets: { KEY: 'NOT_THERE' } })
  t.true(unknown.isError)
  t.is(
    unknown.text,
    'secret NOT_THERE not found (not_found)\n' +
      'Use a name from secret_list, or ask the user to add it with `memory secrets set NAME`.',
  )
  const forgotten = await callTool(client, 'secret_exec_status', { jobId: 'none' })
  t.true(forgotten.isError)
  t.regex(forgotten.text, /Ask the user before you run the command again/)
})
