import test from 'ava'
import { native, relayed } from './relay.js'

const start = relayed.bind(undefined, 'claude-code', 'session-start')
const end = relayed.bind(undefined, 'claude-code', 'session-end')

for (const [what, input] of [
  ['no object', 'text'],
  ['a list', []],
  ['null', null],
  ['nothing', undefined],
  ['no session id', { cwd: '/x' }],
  ['a session id of another type', { session_id: 7 }],
  ['an empty session id', { session_id: ' ' }],
] as const)
  test(`input that is ${what} is answered by nothing and asks nothing`, async t => {
    const { asked, text, note, outcome } = await start(input)
    t.is(asked, undefined)
    t.is(text, '')
    t.is(outcome, 'refused')
    t.regex(note ?? '', /names no session/)
  })

test('fields of a wrong type are as good as absent', async t => {
  const { asked } = await start(native('SessionStart', { cwd: 12, transcript_path: {}, agent_id: false }))
  t.deepEqual(asked?.body, { harness: 'claude-code', sessionKey: 's-1', runtimePath: 'legacy' })
})

test('what cannot be stored is taken out of texts, not the hook out of the session', async t => {
  const prompt = 'a\u0000b\ud800c'
  const { asked } = await relayed('claude-code', 'user-prompt-submit', native('UserPromptSubmit', { prompt }))
  t.is(asked?.body.userMessage, 'ab\ufffdc')
})

test('a bypassed session is told nothing (rules.md 4.10)', async t => {
  const { text, note } = await start(native('SessionStart'), { reply: { bypassed: true, inject: '' } })
  t.is(text, '')
  t.regex(note ?? '', /bypassed/)
})

test('a session that was only claimed again is told nothing (rules.md 4.10: claimOnly)', async t => {
  t.is((await start(native('SessionStart'), { reply: { sessionKnown: true } })).text, '')
})

test('a refusal of the API is no output, and a note that names it (rules.md 4.10: 409)', async t => {
  const { text, note, outcome } = await start(native('SessionStart'), { reply: 409 })
  t.is(text, '')
  t.is(outcome, 'refused')
  t.is(note, 'session-start was refused: no (refusal)')
})

for (const status of [429, 503, 507])
  test(`a refusal with ${status} may succeed later`, async t => {
    t.is((await end(native('SessionEnd'), { reply: status })).outcome, 'later')
  })

test('a daemon that stops may take the hook later', async t => {
  const { outcome, text } = await end(native('SessionEnd'), { reply: new Error('closing') })
  t.is(outcome, 'later')
  t.is(text, '')
})

test('fields of a reply that are no text are not shown', async t => {
  t.is((await start(native('SessionStart'), { reply: { inject: { a: 1 } } })).text, '')
})

test('an event that takes no context gets none, whatever hook it was installed for', async t => {
  t.is((await start(native('PostCompact'), { reply: { inject: 'x' } })).text, '')
})
