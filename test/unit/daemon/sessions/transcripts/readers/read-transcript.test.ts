// runs: in turn

import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { cleaned, collected } from '../../../../../../src/daemon/sessions/capture/clean.js'
import {
  formatOf,
  readTranscript,
} from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import {
  filePieces,
  stringPieces,
} from '../../../../../../src/daemon/sessions/transcripts/readers/text-pieces.js'
import type { TranscriptMessage } from '../../../../../../src/daemon/sessions/transcripts/transcript-message.js'
import { cpuMsOfTurns } from '../../../../../helpers/cpu-time.js'

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', '..', 'fixtures', 'transcripts')

test('a transcript of Claude Code gives what the user and the agent said, and nothing of tools, sub-agents and notices', async t => {
  t.deepEqual(await fixture('claude-code.jsonl'), [
    said('user', 'Why does the invoice total differ by one cent?', '2026-11-20T09:00:04.000Z'),
    said('assistant', 'I look at the rounding first.', '2026-11-20T09:00:06.000Z'),
    said(
      'assistant',
      'Each line is rounded before the sum. Round the sum instead.',
      '2026-11-20T09:00:09.000Z',
    ),
    said('user', 'Fix it.\n', '2026-11-20T09:00:12.000Z'),
    said('assistant', 'Done: the sum is rounded once, to even.', '2026-11-20T09:00:13.000Z'),
  ])
})

test('a line that carries a message but says it is something else is no message, whoever wrote it', async t => {
  const wrapped = (type: string) => ({ type, message: { role: 'user', content: `of ${type}` } })
  const lines = [wrapped('request'), wrapped('message'), wrapped('user'), { role: 'user', text: 'plain' }]
  t.deepEqual(
    (await read(lines.map(line => JSON.stringify(line)).join('\n'))).map(({ text }) => text),
    ['of message', 'of user', 'plain'],
  )
})

test('a session named beside what was said does not make lines those of Claude Code', async t => {
  const line = (type: string, n: number) => JSON.stringify({ type, sessionId: 's', text: `turn ${n}` })
  t.deepEqual(await read(`${line('user', 1)}\n${line('assistant', 2)}`), [
    said('user', 'turn 1', null),
    said('assistant', 'turn 2', null),
  ])
})

test('a rollout of Codex gives one of its two logs, without what Codex put in the user’s mouth', async t => {
  t.deepEqual(await fixture('codex-rollout.jsonl'), [
    said('user', 'Which port does the queue use?', '2026-11-20T10:00:05.000Z'),
    said('assistant', 'The queue listens on 5672.', '2026-11-20T10:00:09.000Z'),
    said('user', 'Thanks, write it down.', '2026-11-20T10:00:12.000Z'),
    said('assistant', 'Written to docs/queue.md.', '2026-11-20T10:00:13.000Z'),
  ])
})

test('a summary that Codex wrote for a compaction is no answer, whichever log tells of it', async t => {
  const summary = 'The pond: two metres.'
  const compacted = { type: 'compacted', payload: { message: `${summary}\n` } }
  const answer = (text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
  })
  const event = (message: string) => ({ type: 'event_msg', payload: { type: 'agent_message', message } })
  const noise = { type: 'event_msg', payload: { type: 'token_count' } }
  for (const log of [answer, event]) {
    const lines = [log('Two metres.'), log(summary), noise, compacted, noise, log('Done.')]
    const text = lines.map(line => JSON.stringify(line)).join('\n')
    t.deepEqual(
      (await collected(readTranscript(stringPieces(text)))).map(said => said.text),
      ['Two metres.', 'Done.'],
    )
  }
})

test('a rollout that has only the log of events gives that', async t => {
  const texts = (await fixture('codex-events-only.jsonl')).map(({ role, text }) => [role, text])
  t.deepEqual(texts, [
    ['user', 'Which port?'],
    ['assistant', '5672.'],
  ])
})

test('a chat of Gemini is read from its document', async t => {
  t.deepEqual(await fixture('gemini-chat.json'), [
    said('user', 'Rename the module.', '2026-11-20T11:00:01.000Z'),
    said('assistant', 'It is called ledger now.', '2026-11-20T11:00:03.000Z'),
    said('user', 'Good "work" \\ {done}', '2026-11-20T11:00:04.000Z'),
  ])
})

test('of a log of Gemini what remains at its end is read: rewritten turns once, rewound and injected ones not', async t => {
  t.deepEqual(await fixture('gemini-session.jsonl'), [
    said('user', 'Rename the module in @src/book.ts.', '2026-11-20T11:00:01.000Z'),
    said('assistant', 'It is called ledger now.', '2026-11-20T11:00:02.000Z'),
    said('user', 'Good "work" \\ {done}', '2026-11-20T11:00:06.000Z'),
  ])
})

test('our own lines are read with text or content, and unknown roles are kept as such', async t => {
  t.deepEqual(await fixture('own.jsonl'), [
    said('user', 'Where are the logs?', '2026-11-20T12:00:00.000Z'),
    said('assistant', 'In .daemon/logs.', null),
    said('unknown', 'Nobody knows this role.', null),
  ])
})

test('a conversation of Cursor has its roles outside its messages', async t => {
  t.deepEqual(
    (await fixture('cursor.jsonl')).map(({ role, text }) => [role, text]),
    [
      ['user', 'Where is the limit of the queue set?'],
      ['assistant', 'In queue.yaml, as maxLength.'],
    ],
  )
})

test('a session of pi is read', async t => {
  t.deepEqual(await fixture('pi.jsonl'), [
    said('user', 'Hello pi.', '2026-11-20T13:00:00.000Z'),
    said('assistant', 'Hello.', null),
  ])
})

test('plain text is cut where somebody else speaks', async t => {
  t.deepEqual(await fixture('plain.txt'), [
    said('unknown', 'A note before anybody speaks.', null),
    said('user', 'How do we deploy?', null),
    said('assistant', 'With `make deploy`.\n\n  It takes a minute.', null),
    said('user', 'And roll back?', null),
    said('assistant', '`make undo`', null),
  ])
})

test('a private span of plain text hides the lines in it, whoever seems to speak there', async t => {
  const text = 'user: a <private>\nassistant: canary\nuser: canary\n</private> b\nassistant: c'
  const messages = await collected(cleaned(readTranscript(stringPieces(text))))
  t.deepEqual(
    messages.map(({ role, text: rest }) => [role, rest]),
    [
      ['user', 'a  b'],
      ['assistant', 'c'],
    ],
  )
})

test('a document of one line is read like one of many', async t => {
  const document = JSON.stringify({
    id: 1,
    messages: [{ role: 'user', content: 'one' }],
    other: [{ x: [{ role: 'user', text: 'two' }] }],
  })
  t.deepEqual(await read(document), [said('user', 'one', null)])
  t.deepEqual(await read('[{"role":"user","text":"a"},{"role":"assistant","text":"b"}]'), [
    said('user', 'a', null),
    said('assistant', 'b', null),
  ])
})

test('text is kept exactly: NUL, half surrogates and white space', async t => {
  const text = ' \u0000a\ud800 b\n\n\tc '
  t.deepEqual(await read(`${JSON.stringify({ role: 'user', text })}\n`), [said('user', text, null)])
})

for (const [what, text, format] of [
  ['lines', '{"role":"user","text":"a"}\n{"role":', 'lines'],
  ['a document', '{\n  "messages": [\n', 'document'],
  ['a list', '[ {"role":"user"}]', 'document'],
  ['text in brackets', '[user] hello', 'plain'],
  ['text in braces', '{ hello }\nuser: a', 'plain'],
  ['nothing', '', 'plain'],
] as const)
  test(`the format is told by the beginning: ${what}`, t => {
    t.is(formatOf(text), format)
  })

test('no bytes make a reader fail, however they are cut', async t => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{"role":"user","text":"a"}',
      '\n',
      '{',
      '}',
      '[',
      '"',
      '\\',
      '"messages":[',
      'user: x',
      '\r\n',
      '\0',
    ),
    fc.string({ maxLength: 5 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async parts => {
      const cut = async function* () {
        yield* parts
      }
      const all = await collected(readTranscript(cut()))
      const whole = await read(parts.join(''))
      t.deepEqual(all, whole)
    }),
    { numRuns: 300 },
  )
})

test('of a conversation that is too long the end is kept', async t => {
  const messages = Array.from({ length: 50 }, (_, n) => said('user', `${n}`.padStart(10, '.'), null))
  const source = async function* () {
    yield* messages
  }
  t.deepEqual(await collected(source(), { maxLength: 95 }), messages.slice(-9))
  t.deepEqual(await collected(source(), { maxMessages: 3 }), messages.slice(-3))
  t.deepEqual(
    (await collected(source(), { maxLength: 4 })).map(({ text }) => text),
    ['..49'],
  )
})

test('reading 24 MB in one line or in many holds the event loop for a few milliseconds at a time', async t => {
  const text = 'the harbour crane lifts "load"\n'.repeat(200)
  const line = `${JSON.stringify({ role: 'user', text })}\n`
  const many = flat(line.repeat(Math.ceil(24_000_000 / line.length)))
  const one = flat(`{"messages":[${many.trim().replaceAll('\n', ',')}]}`)
  for (const [what, source] of Object.entries({ many, one, plain: flat(`user: ${text.repeat(4000)}`) })) {
    const turns = await cpuMsOfTurns(collected(cleaned(readTranscript(stringPieces(source)))))
    t.true(turns.length > 10, `${what}: ${turns.length} turns`)
    const most = turns[Math.floor(turns.length * 0.9)] as number
    t.log(`${what}: ${turns.length} turns, ${most.toFixed(1)} ms`)
    t.true(most < 50, `${what}: ${most} ms`)
  }
})

/** The same text, no longer a tree of its parts. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}

function fixture(name: string): Promise<TranscriptMessage[]> {
  return collected(readTranscript(filePieces(join(fixtures, name))))
}

function read(text: string): Promise<TranscriptMessage[]> {
  return collected(readTranscript(stringPieces(text)))
}

function said(role: TranscriptMessage['role'], text: string, at: string | null): TranscriptMessage {
  return { role, text, at }
}
