import { join } from 'node:path'
import test from 'ava'
import { runCli } from '../helpers/cli.js'

const model = join(import.meta.dirname, '..', 'fixtures', 'tiny-model')

test('a local model folder is used, pulled without a download, and shown', async t => {
  t.is((await runCli(t, ['embedding', 'use', model])).code, 0)
  const pull = await runCli(t, ['embedding', 'pull', '--json'])
  t.is(pull.code, 0, pull.stdout)
  t.like(pull.json(), { provider: 'local', available: true, state: 'ready' })
  const status = await runCli(t, ['embedding', 'status'])
  t.regex(status.stdout, /^state +ready$/m)
  const whole = await runCli(t, ['status', '--json'])
  t.like(whole.json().embedding, { provider: 'local', state: 'ready' })
})

test('pull without a provider explains how to set one', async t => {
  await runCli(t, ['config', 'set', 'embedding.provider', 'none'])
  const { code, json } = await runCli(t, ['embedding', 'pull', '--json'])
  t.is(code, 1)
  t.is(json().code, 'model_unavailable')
  t.is(json().nextSteps[0], 'memory config set embedding.provider local')
  t.is((await runCli(t, ['embedding', 'status', '--json'])).json().state, 'off')
})

test('pull takes a model of the hub into the settings, and use local returns to that of the package', async t => {
  // Nothing answers at this proxy, so the download fails at once.
  const env = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' }
  const { code, json } = await runCli(t, ['embedding', 'pull', 'multilingual', '--json'], { env })
  t.is(code, 1)
  t.like(json(), { code: 'model_unavailable' })
  const configured = async (key: string) => (await runCli(t, ['config', 'get', key, '--json'])).json().value
  t.is(await configured('embedding.model'), 'Xenova/multilingual-e5-small')
  t.is(await configured('embedding.provider'), 'local')
  t.is((await runCli(t, ['embedding', 'use', 'local'])).code, 0)
  t.not(await configured('embedding.model'), 'Xenova/multilingual-e5-small')
})

test('pull refuses another kind of name and changes nothing', async t => {
  const { code, json } = await runCli(t, ['embedding', 'pull', 'multi', '--json'])
  t.is(code, 2)
  t.like(json(), {
    code: 'invalid_model',
    nextSteps: ['give OWNER/NAME, or: memory embedding pull multilingual'],
  })
})
