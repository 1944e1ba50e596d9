import test, { type ExecutionContext } from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { submitPrompt } from '../../helpers/hooks.js'

const environment = { SERVICE_PROMPT_SUBMIT_TIMEOUT: '120000' }
const settings = { context: { promptRecall: 'on' as const } }
const start = (t: ExecutionContext, given: Record<string, unknown> = settings) =>
  startDaemon(t, { environment, settings: given })
const saved = 'The staging relay listens on port 9123 behind nginx'
const question = 'On which port does the staging relay listen behind nginx?'

test('by default a prompt brings no memory', async t => {
  const daemon = await start(t, {})
  await daemon.remember(saved)
  const { body } = await submitPrompt(daemon, question, { sessionKey: 's1' })
  t.like(body, { inject: '', memoryCount: 0, engine: 'none' })
})

test('with context.promptRecall a prompt brings a memory that answers it, once a session', async t => {
  const daemon = await start(t)
  const id = await daemon.remember(saved)
  await daemon.remember('The canteen closes at three on Fridays')
  const ask = async (sessionKey: string, prompt = question) =>
    (await submitPrompt(daemon, prompt, { sessionKey })).body
  const first = await ask('s1')
  t.like(first, { memoryCount: 1, engine: 'recall' })
  t.regex(first.inject, /^## Related Memories\n- fact, .*port 9123/)
  t.true(first.inject.includes(id.slice(-8)))
  t.false(first.inject.includes('canteen'))
  t.is((await ask('s1')).inject, '')
  t.is((await ask('s2')).memoryCount, 1)
  t.is((await ask('s2', 'Please rename the variable in the parser')).inject, '')
})

test('a memory of a prompt can be rated, and the session shows why it was given', async t => {
  const daemon = await start(t)
  const id = await daemon.remember(saved)
  await submitPrompt(daemon, question, { sessionKey: 's1' })
  const ratings = { [id]: 1 }
  const { body } = await daemon.call('POST /api/memory/feedback', { body: { session_key: 's1', ratings } })
  t.is(body.accepted, 1)
  const { body: told } = await daemon.call('GET /api/sessions/:key/blackbox', {
    params: { key: 's1' },
  })
  const event = told.events.find(({ kind }: { kind: string }) => kind === 'context.recalled')
  t.like(event, { title: '1 memory added to a prompt', payload: { surface: 'prompt' } })
})

test('memories of another project are not given, and all together have at most 150 tokens', async t => {
  const daemon = await start(t)
  await daemon.remember(saved, { project: 'other' })
  const ask = async (sessionKey: string) =>
    (await submitPrompt(daemon, question, { sessionKey, project: 'shop' })).body
  t.is((await ask('s1')).inject, '')
  for (const place of ['Bergen', 'Oslo', 'Turku', 'Lund'])
    await daemon.remember(`${saved} in ${place}, ${`as the team of ${place} wrote `.repeat(12)}`, {
      project: 'shop',
    })
  const { inject, memoryCount } = await ask('s2')
  t.true(memoryCount >= 1 && memoryCount <= 3)
  t.true(inject.length / 4 <= 160, `${inject.length} characters`)
})
