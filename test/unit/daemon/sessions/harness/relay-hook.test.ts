import test from 'ava'
import { nativeInput, relay } from './relay.js'

const start = relay.bind(undefined, 'claude-code', 'session-start')
const end = relay.bind(undefined, 'claude-code', 'session-end')

for (const [what, input] of [
  ['not an object', 'text'],
  ['a list', []],
  ['null', null],
  ['nothing', undefined],
  ['no session id', { cwd: '/x' }],
  ['a session id of another type', { session_id: 7 }],
  ['an empty session id', { session_id: ' ' }],
] as const)
  test(`input that is ${what} is refused without a request`, async t => {
    const { asked, text, note, outcome } = await start(input)
    t.is(asked, undefined)
    t.is(text, '')
    t.is(outcome, 'refused')
    t.regex(note ?? '', /contains no session id/)
  })

test('fields of a wrong type are treated as missing', async t => {
  const { asked } = await start(
    nativeInput('SessionStart', { cwd: 12, transcript_path: {}, agent_id: false }),
  )
  t.deepEqual(asked?.body, { harness: 'claude-code', sessionKey: 's-1', runtimePath: 'legacy' })
})

test('characters that cannot be stored are removed, and the hook is served', async t => {
  const prompt = 'a\u0000b\ud800c'
  const { asked } = await relay(
    'claude-code',
    'user-prompt-submit',
    nativeInput('UserPromptSubmit', { prompt }),
  )
  t.is(asked?.body.userMessage, 'ab\ufffdc')
})

test('a bypassed session gets no output (rules.md 4.10)', async t => {
  const { text, note } = await start(nativeInput('SessionStart'), { reply: { bypassed: true, inject: '' } })
  t.is(text, '')
  t.regex(note ?? '', /bypassed/)
})

test('a session that was only claimed again gets no output (rules.md 4.10: claimOnly)', async t => {
  t.is((await start(nativeInput('SessionStart'), { reply: { sessionKnown: true } })).text, '')
})

test('a refusal by the API has no output and is logged (rules.md 4.10: 409)', async t => {
  const { text, note, outcome } = await start(nativeInput('SessionStart'), { reply: 409 })
  t.is(text, '')
  t.is(outcome, 'refused')
  t.is(note, 'session-start was refused: no (refusal)')
})

for (const status of [429, 503, 507])
  test(`a refusal with ${status} may be retried`, async t => {
    t.is((await end(nativeInput('SessionEnd'), { reply: status })).outcome, 'later')
  })

test('a hook for a stopping daemon may be retried', async t => {
  const { outcome, text } = await end(nativeInput('SessionEnd'), { reply: new Error('closing') })
  t.is(outcome, 'later')
  t.is(text, '')
})

test('reply fields that are not text are ignored', async t => {
  t.is((await start(nativeInput('SessionStart'), { reply: { inject: { a: 1 } } })).text, '')
})

test('an event that accepts no context gets none, whatever hook it was installed for', async t => {
  t.is((await start(nativeInput('PostCompact'), { reply: { inject: 'x' } })).text, '')
})
