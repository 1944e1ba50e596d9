import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { harnessHook } from '../../helpers/harness-hook.js'
import { storeMessages } from '../../helpers/hooks.js'

const session_id = '0198f3c2-7c11-7000-8000-00000000cafe'

/** A Gemini CLI session with the output of its hooks. */
function session(daemon: TestDaemon) {
  const call = async (hook: string, hook_event_name: string, fields: object) =>
    (
      await harnessHook(daemon, `gemini/${hook}`, {
        session_id,
        cwd: '/work/api',
        hook_event_name,
        ...fields,
      })
    ).text
  return {
    start: (source = 'startup') => call('session-start', 'SessionStart', { source }),
    end: () => call('session-end', 'SessionEnd', { reason: 'exit' }),
    prompt: async (prompt = 'why does the harbour crane stop') => {
      const text = await call('user-prompt-submit', 'BeforeAgent', { prompt })
      return text === '' ? '' : String(JSON.parse(text).hookSpecificOutput.additionalContext)
    },
    bypass: (enabled: boolean) =>
      daemon.call('POST /api/sessions/:key/bypass', { params: { key: session_id }, body: { enabled } }),
  }
}

async function knowing(t: ExecutionContext, workspace = temporaryWorkspace(t)): Promise<TestDaemon> {
  const daemon = await startDaemon(t, { workspace })
  await daemon.remember('We deploy with blue-green switches.', { pinned: true })
  return daemon
}

const hasStart = (context: string): boolean => context.includes('<service-memory-context')

test('a Gemini CLI session gets its context once, with the first prompt', async t => {
  const { start, prompt } = session(await knowing(t))
  t.is(await start(), '')
  const first = await prompt()
  t.regex(first, /UTC|[+-]\d{2}:\d{2}/)
  t.regex(first, /blue-green/)
  t.true(first.length <= 10_000)
  t.is(await prompt(), '', 'the time comes once')
})

test('a Gemini CLI start claims the session for command hooks (rules.md 3.3)', async t => {
  const daemon = await knowing(t)
  await session(daemon).start()
  const { status } = await daemon.call('POST /api/hooks/session-start', {
    body: { harness: 'gemini', sessionKey: session_id, runtimePath: 'plugin' },
  })
  t.is(status, 409)
})

test('a resumed Gemini CLI session still has its context and gets only what is new', async t => {
  const daemon = await knowing(t)
  const { start, prompt, end } = session(daemon)
  await start()
  await prompt()
  await end()
  t.is(await start('resume'), '')
  t.false(hasStart(await prompt()))
  await end()
  await daemon.remember('learned in between')
  await start('resume')
  const next = await prompt()
  t.regex(next, /learned in between/)
  t.notRegex(next, /blue-green|Memory across sessions/)
})

test('a cleared Gemini CLI session gets its memories again', async t => {
  const { start, prompt } = session(await knowing(t))
  await start()
  await prompt()
  await start('clear')
  t.regex(await prompt(), /blue-green/)
})

test('of several concurrent first prompts, one gets the context', async t => {
  const { start, prompt } = session(await knowing(t))
  await start()
  const contexts = await Promise.all([prompt(), prompt(), prompt()])
  t.is(contexts.filter(hasStart).length, 1)
})

test('a daemon restarted between the start and the first prompt still gives the context', async t => {
  const workspace = temporaryWorkspace(t)
  const first = await knowing(t, workspace)
  await session(first).start()
  await first.stop()
  const second = await startDaemon(t, { workspace })
  const { prompt } = session(second)
  t.regex(await prompt(), /blue-green/)
  t.false(hasStart(await prompt()))
  await second.stop()
  t.false(hasStart(await session(await startDaemon(t, { workspace })).prompt()))
})

test('a bypassed Gemini CLI session gets nothing, and its context once the bypass ends', async t => {
  const { start, prompt, bypass } = session(await knowing(t))
  await start()
  await bypass(true)
  t.is(await prompt(), '')
  await bypass(false)
  t.regex(await prompt(), /blue-green/)
  t.false(hasStart(await prompt()))
})

test('the context of a start leaves room for the prompt’s own additions', async t => {
  const daemon = await startDaemon(t, {
    settings: { hooks: { sessionStart: { maxInjectTokens: 20_000, recallLimit: 100 } } },
  })
  for (let n = 0; n < 40; n++)
    await daemon.remember(`rule ${n}: ${'always check the harbour crane before noon, '.repeat(12)}${n}`)
  const { start, prompt } = session(daemon)
  await start()
  const context = await prompt()
  t.true(context.length <= 10_000 && context.length > 8000, String(context.length))
  t.true(context.trimEnd().endsWith('</service-memory-context>'))
})

test('the first Gemini CLI prompt lists unread messages once, beside the starting context', async t => {
  const daemon = await knowing(t)
  storeMessages(t, daemon, [{ id: 'm1', to: 'default', content: 'the build is red' }])
  const { start, prompt } = session(daemon)
  await start()
  const first = await prompt()
  t.regex(first, /blue-green/)
  t.is(first.split('the build is red').length, 2, first)
  t.regex(first, /blue-green[^<]*<\/service-memory-context>\n\n<service-peer-messages /u)
  t.is((await prompt()).split('the build is red').length, 2)
})
