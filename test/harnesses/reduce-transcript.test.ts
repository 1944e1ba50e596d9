import test from 'ava'
import { reduceTranscript } from './reduce-transcript.js'
import { seeded, turns } from './scenario.js'

const { prompt } = turns.first

test('text of others is removed from a recorded transcript, and its structure is kept', t => {
  const line = {
    type: 'user',
    at: '2026-11-20T09:00:00.000Z',
    text: prompt,
    system: 'You are an agent.\nBe brief.',
    flags: [true, null, 3],
  }
  t.deepEqual(reduced(line), { ...line, system: '…', flags: [true] })
})

test('elements around a text are kept, the text of others inside them is removed', t => {
  t.is(
    text(`<hook_context>\nThe rules are these.\n</hook_context>\n\n${prompt}`),
    `<hook_context>\n…\n</hook_context>\n\n${prompt}`,
  )
  t.is(text(`<a_b c="d">one</a_b>`), '<a_b c="d">…</a_b>')
  t.is(text(`Before. ${seeded} After, two: `), `… ${seeded} …: `)
})

test('JSON in a string is reduced as JSON', t => {
  t.is(text(JSON.stringify({ query: 'whose words', id: 'call_1' })), '{"query":"…","id":"call_1"}')
})

test('a list without our texts keeps only its first element', t => {
  t.deepEqual(reduced({ tools: [{ name: 'one' }, { name: 'two' }], said: ['foreign words', prompt] }), {
    tools: [{ name: 'one' }],
    said: ['…', prompt],
  })
})

test('the temporary home folder is replaced', t => {
  t.deepEqual(reduced({ cwd: '/tmp/x-1/heron' }), { cwd: '/home/ada/heron' })
})

test('a JSON document is reduced as a whole', t => {
  t.is(reduceTranscript('{\n"info": "not our words"\n}', { home: '/tmp/x-1' }), '{\n  "info": "…"\n}\n')
})

function reduced(line: object): unknown {
  const lines = `${JSON.stringify(line)}\n${JSON.stringify({ last: 1 })}\n`
  return JSON.parse(reduceTranscript(lines, { home: '/tmp/x-1' }).split('\n')[0] as string)
}

function text(written: string): unknown {
  return (reduced({ text: written }) as { text: unknown }).text
}
