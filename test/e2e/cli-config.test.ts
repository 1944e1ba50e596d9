import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace, registeredPid, runCli } from '../helpers/cli.js'

test('init writes a private agent.yaml once and names the next step', async t => {
  const file = join(cliWorkspace(t), 'agent.yaml')
  const { code, stdout, stderr } = await runCli(t, ['init'])
  t.is(code, 0)
  t.is(stdout, `Wrote ${file}`)
  t.regex(stderr, /memory remember/)
  if (process.platform !== 'win32') t.is(statSync(file).mode & 0o777, 0o600)

  writeFileSync(file, '# mine\n')
  const again = await runCli(t, ['init', '--json'])
  t.is(again.code, 4)
  t.is(again.json().code, 'already_exists')
  t.is(readFileSync(file, 'utf8'), '# mine\n')

  t.is((await runCli(t, ['init', '--force'])).code, 0)
  t.regex(readFileSync(file, 'utf8'), /port: 3850/)
})

test('config get shows defaults without a file or a daemon', async t => {
  const one = await runCli(t, ['config', 'get', 'daemon.port'])
  t.is(one.stdout, '3850')
  const all = await runCli(t, ['config', 'get', '--json'])
  t.like(all.json(), { daemon: { port: 3850 }, embedding: { deadlineMs: 300, idleUnloadMs: 300_000 } })
  const section = await runCli(t, ['config', 'get', 'auth'])
  t.regex(section.stdout, /^mode: local$/m)
  t.is(registeredPid(cliWorkspace(t)), undefined)
})

test('config set keeps comments and config get reads the value back', async t => {
  await runCli(t, ['init'])
  const set = await runCli(t, ['config', 'set', 'daemon.idleTimeoutMs', '4000', '--json'])
  t.is(set.code, 0)
  t.is(set.json().value, 4000)
  const text = readFileSync(join(cliWorkspace(t), 'agent.yaml'), 'utf8')
  t.regex(
    text,
    /# The daemon exits after this idle time in milliseconds; 0 never\.\n {2}idleTimeoutMs: 4000\n/,
  )
  t.is((await runCli(t, ['config', 'get', 'daemon.idleTimeoutMs'])).stdout, '4000')
})

test('config set with an empty value restores the default', async t => {
  await runCli(t, ['config', 'set', 'embedding.model', 'some/model'])
  t.is((await runCli(t, ['config', 'get', 'embedding.model'])).stdout, 'some/model')
  t.is((await runCli(t, ['config', 'set', 'embedding.model', ''])).code, 0)
  t.regex((await runCli(t, ['config', 'get', 'embedding.model'])).stderr, /embedding\.model is not set/)
  t.deepEqual((await runCli(t, ['config', 'get', 'embedding.model', '--json'])).json(), {
    key: 'embedding.model',
    value: null,
  })
})

test('config set refuses an invalid value with file, line and key', async t => {
  await runCli(t, ['init'])
  const file = join(cliWorkspace(t), 'agent.yaml')
  const before = readFileSync(file, 'utf8')
  const { code, stderr } = await runCli(t, ['config', 'set', 'daemon.idleTimeoutMs', '-1'])
  t.is(code, 2)
  const line = before.split('\n').findIndex(text => text.includes('idleTimeoutMs: 1800000')) + 1
  t.true(stderr.includes(`${file}:${line}: daemon.idleTimeoutMs:`), stderr)
  t.is(readFileSync(file, 'utf8'), before)
})

test('config set refuses an API key itself and asks for a reference', async t => {
  const { code, stderr } = await runCli(t, ['config', 'set', 'embedding.apiKey', 'sk-123'])
  t.is(code, 2)
  t.regex(stderr, /env:OPENAI_API_KEY/)
})

test('an unknown setting is refused with a suggestion', async t => {
  const { code, json } = await runCli(t, ['config', 'set', 'daemon.prot', '1', '--json'])
  t.is(code, 3)
  t.is(json().code, 'unknown_setting')
  t.is(json().nextSteps[0], 'did you mean: daemon.port')
})

test('config path works for a missing workspace', async t => {
  const workspace = join(cliWorkspace(t), 'new')
  const { stdout } = await runCli(t, ['config', 'path', '--workspace', workspace])
  t.is(stdout, join(workspace, 'agent.yaml'))
})

test('embedding use accepts only a complete model folder', async t => {
  const folder = join(cliWorkspace(t), 'a model: with # signs')
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  writeFileSync(join(folder, 'config.json'), '{}')
  const partial = await runCli(t, ['embedding', 'use', folder])
  t.is(partial.code, 2)
  t.regex(partial.stderr, /is not a model folder: tokenizer\.json is missing/)

  writeFileSync(join(folder, 'tokenizer.json'), '{}')
  writeFileSync(join(folder, 'tokenizer_config.json'), '{}')
  writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), '')
  t.is((await runCli(t, ['embedding', 'use', folder])).code, 0)
  t.is((await runCli(t, ['config', 'get', 'embedding.modelPath'])).stdout, folder)
  t.is((await runCli(t, ['embedding', 'use', join(folder, 'none')])).code, 3)
})
