import test from 'ava'
import {
  formatOf,
  readTranscript,
} from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import { stringSlices } from '../../../../../../src/daemon/sessions/transcripts/readers/text-slices.js'

const header = { sessionId: 'g1', projectHash: 'abc', startTime: '2026-11-20T11:00:00.000Z' }
const context = turn('c0', 'user', '<session_context>\nToday is Friday.\n</session_context>')
const snapshot = turn('s0', 'user', '<state_snapshot>\nall of it\n</state_snapshot>')
const gotIt = turn('s1', 'gemini', 'Got it. Thanks for the additional context!')

test('rewound turns are removed with everything after them', async t => {
  const log = [turn('a', 'user', 'one'), turn('b', 'gemini', 'two'), turn('c', 'user', 'three')]
  t.deepEqual(await readTexts(...log, { $rewindTo: 'b' }, turn('d', 'gemini', 'four')), ['one', 'four'])
  t.deepEqual(await readTexts(...log, { $rewindTo: 'a' }), [])
})

test('a rewind to an unknown turn removes nothing', async t => {
  t.deepEqual(await readTexts(turn('a', 'user', 'one'), { $rewindTo: 'x' }), ['one'])
})

test('a rewind may name a turn without text', async t => {
  const tool = { id: 'b', type: 'gemini', content: '', toolCalls: [{ id: 't' }] }
  t.deepEqual(
    await readTexts(turn('a', 'user', 'one'), tool, turn('c', 'gemini', 'two'), { $rewindTo: 'b' }),
    ['one'],
  )
})

test('a turn written twice appears once, at its first place, with its last text', async t => {
  const log = [turn('a', 'user', 'one'), turn('b', 'gemini', 'tw'), turn('c', 'user', 'three')]
  t.deepEqual(await readTexts(...log, turn('b', 'gemini', 'two')), ['one', 'two', 'three'])
})

test('a log with lists of turns only is read from the last list', async t => {
  const first = [context, turn('a', 'user', 'one')]
  t.deepEqual(await readTexts(set(first), set([...first, turn('b', 'gemini', 'two')])), ['one', 'two'])
})

test('a list without the last turns removes them', async t => {
  const log = [turn('a', 'user', 'one'), turn('b', 'gemini', 'two'), turn('c', 'user', 'aborted')]
  t.deepEqual(await readTexts(...log, set(log.slice(0, 2)), turn('d', 'user', 'three')), [
    'one',
    'two',
    'three',
  ])
})

test('compressed turns are kept, and the summary that replaced them is not a turn', async t => {
  const log = [
    turn('a', 'user', 'again'),
    turn('b', 'gemini', 'two'),
    turn('c', 'user', 'again'),
    turn('d', 'gemini', 'four'),
  ]
  const expected = ['again', 'two', 'again', 'four', 'five']
  const after = turn('e', 'user', 'five')
  t.deepEqual(await readTexts(...log, set([context, snapshot, gotIt, ...log.slice(2)]), after), expected)
  const renamed = [turn('x', 'user', 'again'), turn('y', 'gemini', 'four')]
  t.deepEqual(await readTexts(...log, set([snapshot, gotIt, ...renamed]), after), expected)
  t.deepEqual(await readTexts(...log, set([context, snapshot, gotIt]), after), expected)
  const condensed = [...log, set([snapshot, gotIt, ...renamed]), after]
  t.deepEqual(await readTexts(...condensed, { $rewindTo: 'y' }), expected.slice(0, 3))
})

for (const [what, text] of [
  ['thinks first', '<scratchpad>Two questions.</scratchpad>\n<state_snapshot>\nall of it\n</state_snapshot>'],
  [
    'names what it will write',
    '<scratchpad>Now the <state_snapshot>:\n<state_snapshot>\nall\n</state_snapshot>',
  ],
] as const)
  test(`a summary that ${what} is not a turn either`, async t => {
    const log = [turn('a', 'user', 'one'), turn('b', 'gemini', 'two')]
    const summary = turn('s', 'user', text)
    t.deepEqual(await readTexts(...log, set([context, summary, gotIt]), turn('c', 'user', 'three')), [
      'one',
      'two',
      'three',
    ])
  })

test('a scratchpad written by the user is a turn', async t => {
  t.deepEqual(await readTexts(turn('a', 'user', '<scratchpad>mine</scratchpad>')), [
    '<scratchpad>mine</scratchpad>',
  ])
})

test('a session resumed with other ids is not duplicated', async t => {
  const resumed = [turn('x', 'user', 'one'), turn('y', 'gemini', 'two')]
  const log = [turn('a', 'user', 'one'), turn('b', 'gemini', 'two'), set(resumed), turn('c', 'user', 'three')]
  t.deepEqual(await readTexts(context, ...log), ['one', 'two', 'three'])
})

test('text after injected context in the same part is kept', async t => {
  const mixed = turn('a', 'user', '<session_context>\nFriday\n</session_context>\n\nhello')
  t.deepEqual(await readTexts(mixed, turn('b', 'user', 'what is <session_context>?')), [
    'hello',
    'what is <session_context>?',
  ])
})

test('a header with the first turns starts a log if lines follow, otherwise it is a document', async t => {
  const head = { ...header, messages: [turn('a', 'user', 'one')] }
  t.is(formatOf(JSON.stringify(head)), 'document')
  t.deepEqual(await readLines([head, turn('b', 'gemini', 'two')]), ['one', 'two'])
  t.deepEqual(await readLines([{ ...head, messages: [context, ...head.messages] }]), ['one'])
})

test('no record makes the reader fail', async t => {
  const odd = [{ $set: null }, { $set: { messages: [null, 1, {}, { type: 'user', content: 'kept' }] } }]
  t.deepEqual(
    await readTexts(...odd, { $rewindTo: 1 }, { id: 'a' }, { id: 'b', type: 'user', content: null }),
    ['kept'],
  )
})

function turn(id: string, type: 'user' | 'gemini', text: string): object {
  return { id, timestamp: '2026-11-20T11:00:01.000Z', type, content: [{ text }] }
}

function set(messages: object[]): object {
  return { $set: { messages } }
}

function readTexts(...records: object[]): Promise<string[]> {
  return readLines([header, ...records])
}

async function readLines(records: object[]): Promise<string[]> {
  const texts: string[] = []
  const lines = records.map(record => JSON.stringify(record)).join('\n')
  for await (const { text } of readTranscript(stringSlices(lines))) texts.push(text)
  return texts
}
