// runs: in turn

import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { cleanMessages, collectNewest } from '../../../../../../src/daemon/sessions/capture/clean.js'
import {
  formatOf,
  readTranscript,
} from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import {
  readFileSlices,
  stringSlices,
} from '../../../../../../src/daemon/sessions/transcripts/readers/text-slices.js'
import type { TranscriptMessage } from '../../../../../../src/daemon/sessions/transcripts/transcript-message.js'
import { cpuMsOfTurns } from '../../../../../helpers/cpu-time.js'

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', '..', 'fixtures', 'transcripts')

test('a Claude Code transcript yields user and agent texts, without tools, sub-agents and notices', async t => {
  t.deepEqual(await fixture('claude-code.jsonl'), [
    messageOf('user', 'Why does the invoice total differ by one cent?', '2026-11-20T09:00:04.000Z'),
    messageOf('assistant', 'I look at the rounding first.', '2026-11-20T09:00:06.000Z'),
    messageOf(
      'assistant',
      'Each line is rounded before the sum. Round the sum instead.',
      '2026-11-20T09:00:09.000Z',
    ),
    messageOf('user', 'Fix it.\n', '2026-11-20T09:00:12.000Z'),
    messageOf('assistant', 'Done: the sum is rounded once, to even.', '2026-11-20T09:00:13.000Z'),
  ])
})

test('of a session of pi the branch that ends with its last entry counts', async t => {
  const entry = (id: string, parentId: string | null, role: string, text: string) =>
    JSON.stringify({ type: 'message', id, parentId, message: { role, content: [{ type: 'text', text }] } })
  const lines = [
    JSON.stringify({ type: 'session', version: 3, id: 's', cwd: '/work' }),
    entry('a', null, 'user', 'Which store?'),
    entry('b', 'a', 'assistant', 'SQLite.'),
    entry('c', 'b', 'user', 'Left.'),
    JSON.stringify({ type: 'branch_summary', id: 'd', parentId: 'b', summary: 'not said' }),
    JSON.stringify({ type: 'custom_message', id: 'e', parentId: 'd', content: 'of a hook' }),
    entry('f', 'e', 'user', 'Right.'),
  ]
  t.deepEqual(await saidIn(...lines), ['user: Which store?', 'assistant: SQLite.', 'user: Right.'])
})

const claudeLine = (role: string, content: unknown, more: object = {}) =>
  JSON.stringify({ type: role, sessionId: 's1', message: { role, content }, ...more })
const saidIn = async (...lines: string[]) =>
  (await readText(lines.join('\n'))).map(({ role, text }) => `${role}: ${text}`)

test('a command of the user is kept as it was typed, one of the program is not', async t => {
  const said = await saidIn(
    claudeLine(
      'user',
      '<command-message>ship is running</command-message>\n<command-name>/ship</command-name>\n<command-args>staging now</command-args>',
    ),
    claudeLine('user', 'The expanded text.', { isMeta: true }),
    claudeLine('assistant', 'Shipped.'),
    claudeLine('user', '<command-message>review</command-message>\n<command-name>/review</command-name>'),
    claudeLine('user', '<command-name>/clear</command-name>\n<command-message>clear</command-message>'),
    claudeLine('user', '<local-command-stdout>done</local-command-stdout>'),
  )
  t.deepEqual(said, ['user: /ship staging now', 'assistant: Shipped.', 'user: /review'])
})

test('a prompt that waited while Claude Code worked is kept once', async t => {
  const queued = (prompt: unknown, more: object = {}) =>
    JSON.stringify({
      type: 'attachment',
      sessionId: 's1',
      attachment: { type: 'queued_command', prompt, ...more },
    })
  const enqueue = { type: 'queue-operation', operation: 'enqueue', sessionId: 's1', content: 'use port 9123' }
  const said = await saidIn(
    JSON.stringify(enqueue),
    claudeLine('user', 'Start the relay.'),
    queued('use port 9123', { commandMode: 'prompt' }),
    queued([{ type: 'text', text: 'and log it' }]),
    queued('<task-notification>over</task-notification>', { commandMode: 'task-notification' }),
    queued('<task-notification>over</task-notification>'),
    claudeLine('assistant', 'It runs.'),
  )
  t.deepEqual(said, [
    'user: Start the relay.',
    'user: use port 9123',
    'user: and log it',
    'assistant: It runs.',
  ])
})

test('a reminder is removed, a mention of its tag in code stays', async t => {
  const said = await saidIn(
    claudeLine('user', 'Go on.<system-reminder>Be brief.</system-reminder>'),
    claudeLine('assistant', 'The `<system-reminder>` tag ends with `</system-reminder>`.'),
  )
  t.deepEqual(said, [
    'user: Go on.',
    'assistant: The `<system-reminder>` tag ends with `</system-reminder>`.',
  ])
})

test('a mention of the private tag in text of roles hides no turn', async t => {
  const said = await saidIn('user: explain <private> here', 'assistant: it hides text', 'user: thanks')
  t.deepEqual(said, ['user: explain <private> here', 'assistant: it hides text', 'user: thanks'])
})

test('a custom command of Claude Code is kept as it was typed, its own commands are left out', async t => {
  // As Claude Code 2.1.332 writes them.
  const line = (content: unknown, more = {}) =>
    JSON.stringify({ type: 'user', sessionId: 's', message: { role: 'user', content }, ...more })
  const command = (message: string, name: string) =>
    `<command-message>${message}</command-message>\n<command-name>${name}</command-name>`
  const lines = [
    line(`${command('ship', '/ship')}\n<command-args>staging\nby noon</command-args>`),
    line([{ type: 'text', text: 'Ship the service carefully to staging\n' }], { isMeta: true }),
    line(command('tidy', '/tidy')),
    line(command('The "pdf" skill is loading', 'pdf')),
    line(
      '<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n' +
        '            <command-args></command-args>',
    ),
  ]
  t.deepEqual(
    (await readText(lines.join('\n'))).map(({ text }) => text),
    ['/ship staging\nby noon', '/tidy'],
  )
})

test('a line whose type is not a message is ignored, whoever wrote it', async t => {
  const wrapped = (type: string) => ({ type, message: { role: 'user', content: `of ${type}` } })
  const lines = [wrapped('request'), wrapped('message'), wrapped('user'), { role: 'user', text: 'plain' }]
  t.deepEqual(
    (await readText(lines.map(line => JSON.stringify(line)).join('\n'))).map(({ text }) => text),
    ['of message', 'of user', 'plain'],
  )
})

test('a session id beside a text does not make a line a Claude Code line', async t => {
  const line = (type: string, n: number) => JSON.stringify({ type, sessionId: 's', text: `turn ${n}` })
  t.deepEqual(await readText(`${line('user', 1)}\n${line('assistant', 2)}`), [
    messageOf('user', 'turn 1', null),
    messageOf('assistant', 'turn 2', null),
  ])
})

test('a Codex rollout yields one of its two logs, without texts inserted by Codex', async t => {
  t.deepEqual(await fixture('codex-rollout.jsonl'), [
    messageOf('user', 'Which port does the queue use?', '2026-11-20T10:00:05.000Z'),
    messageOf('assistant', 'The queue listens on 5672.', '2026-11-20T10:00:09.000Z'),
    messageOf('user', 'Thanks, write it down.', '2026-11-20T10:00:12.000Z'),
    messageOf('assistant', 'Written to docs/queue.md.', '2026-11-20T10:00:13.000Z'),
  ])
})

test('a compaction summary by Codex is not an answer in either log', async t => {
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
      (await collectNewest(readTranscript(stringSlices(text)))).map(messageOf => messageOf.text),
      ['Two metres.', 'Done.'],
    )
  }
})

test('a rollout with only the event log yields that log', async t => {
  const texts = (await fixture('codex-events-only.jsonl')).map(({ role, text }) => [role, text])
  t.deepEqual(texts, [
    ['user', 'Which port?'],
    ['assistant', '5672.'],
  ])
})

test('a Gemini chat is read from its document', async t => {
  t.deepEqual(await fixture('gemini-chat.json'), [
    messageOf('user', 'Rename the module.', '2026-11-20T11:00:01.000Z'),
    messageOf('assistant', 'It is called ledger now.', '2026-11-20T11:00:03.000Z'),
    messageOf('user', 'Good "work" \\ {done}', '2026-11-20T11:00:04.000Z'),
  ])
})

test('a Gemini log yields its final state, without rewound and injected turns', async t => {
  t.deepEqual(await fixture('gemini-session.jsonl'), [
    messageOf('user', 'Rename the module in @src/book.ts.', '2026-11-20T11:00:01.000Z'),
    messageOf('assistant', 'It is called ledger now.', '2026-11-20T11:00:02.000Z'),
    messageOf('user', 'Good "work" \\ {done}', '2026-11-20T11:00:06.000Z'),
  ])
})

test('lines in the own format have text or content, and unknown roles are kept', async t => {
  t.deepEqual(await fixture('own.jsonl'), [
    messageOf('user', 'Where are the logs?', '2026-11-20T12:00:00.000Z'),
    messageOf('assistant', 'In .daemon/logs.', null),
    messageOf('unknown', 'This role is unknown.', null),
  ])
})

test('a Cursor conversation has its roles outside its messages', async t => {
  t.deepEqual(
    (await fixture('cursor.jsonl')).map(({ role, text }) => [role, text]),
    [
      ['user', 'Where is the limit of the queue set?'],
      ['assistant', 'In queue.yaml, as maxLength.'],
    ],
  )
})

test('a pi session is read', async t => {
  t.deepEqual(await fixture('pi.jsonl'), [
    messageOf('user', 'Hello pi.', '2026-11-20T13:00:00.000Z'),
    messageOf('assistant', 'Hello.', null),
  ])
})

test('plain text is split where the speaker changes', async t => {
  t.deepEqual(await fixture('plain.txt'), [
    messageOf('unknown', 'A note before anybody speaks.', null),
    messageOf('user', 'How do we deploy?', null),
    messageOf('assistant', 'With `make deploy`.\n\n  It takes a minute.', null),
    messageOf('user', 'And roll back?', null),
    messageOf('assistant', '`make undo`', null),
  ])
})

test('a private span in plain text hides its lines, whatever speaker they name', async t => {
  const text = 'user: a <private>\nassistant: canary\nuser: canary\n</private> b\nassistant: c'
  const messages = await collectNewest(cleanMessages(readTranscript(stringSlices(text))))
  t.deepEqual(
    messages.map(({ role, text: rest }) => [role, rest]),
    [
      ['user', 'a  b'],
      ['assistant', 'c'],
    ],
  )
})

test('a document on one line is read like one on many lines', async t => {
  const document = JSON.stringify({
    id: 1,
    messages: [{ role: 'user', content: 'one' }],
    other: [{ x: [{ role: 'user', text: 'two' }] }],
  })
  t.deepEqual(await readText(document), [messageOf('user', 'one', null)])
  t.deepEqual(await readText('[{"role":"user","text":"a"},{"role":"assistant","text":"b"}]'), [
    messageOf('user', 'a', null),
    messageOf('assistant', 'b', null),
  ])
})

test('text is unchanged, with NUL, lone surrogates and white space', async t => {
  const text = ' \u0000a\ud800 b\n\n\tc '
  t.deepEqual(await readText(`${JSON.stringify({ role: 'user', text })}\n`), [messageOf('user', text, null)])
})

for (const [what, text, format] of [
  ['lines', '{"role":"user","text":"a"}\n{"role":', 'lines'],
  ['a document', '{\n  "messages": [\n', 'document'],
  ['a list', '[ {"role":"user"}]', 'document'],
  ['text in brackets', '[user] hello', 'plain'],
  ['text in braces', '{ hello }\nuser: a', 'plain'],
  ['nothing', '', 'plain'],
] as const)
  test(`the format is recognised from the beginning: ${what}`, t => {
    t.is(formatOf(text), format)
  })

test('no bytes make a reader fail, for any chunking', async t => {
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
      const all = await collectNewest(readTranscript(cut()))
      const whole = await readText(parts.join(''))
      t.deepEqual(all, whole)
    }),
    { numRuns: 300 },
  )
})

test('a too long conversation keeps its end', async t => {
  const messages = Array.from({ length: 50 }, (_, n) => messageOf('user', `${n}`.padStart(10, '.'), null))
  const source = async function* () {
    yield* messages
  }
  t.deepEqual(await collectNewest(source(), { maxLength: 95 }), messages.slice(-9))
  t.deepEqual(await collectNewest(source(), { maxMessages: 3 }), messages.slice(-3))
  t.deepEqual(
    (await collectNewest(source(), { maxLength: 4 })).map(({ text }) => text),
    ['..49'],
  )
})

test('reading 24 MB in one line or many blocks the event loop only briefly', async t => {
  const text = 'the harbour crane lifts "load"\n'.repeat(200)
  const line = `${JSON.stringify({ role: 'user', text })}\n`
  const many = flat(line.repeat(Math.ceil(24_000_000 / line.length)))
  const one = flat(`{"messages":[${many.trim().replaceAll('\n', ',')}]}`)
  for (const [what, source] of Object.entries({ many, one, plain: flat(`user: ${text.repeat(4000)}`) })) {
    const turns = await cpuMsOfTurns(collectNewest(cleanMessages(readTranscript(stringSlices(source)))))
    t.true(turns.length > 10, `${what}: ${turns.length} turns`)
    const most = turns[Math.floor(turns.length * 0.9)] as number
    t.log(`${what}: ${turns.length} turns, ${most.toFixed(1)} ms`)
    t.true(most < 50, `${what}: ${most} ms`)
  }
})

/** Returns the text as one flat string, because V8 keeps concatenations as trees. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}

function fixture(name: string): Promise<TranscriptMessage[]> {
  return collectNewest(readTranscript(readFileSlices(join(fixtures, name))))
}

function readText(text: string): Promise<TranscriptMessage[]> {
  return collectNewest(readTranscript(stringSlices(text)))
}

function messageOf(role: TranscriptMessage['role'], text: string, at: string | null): TranscriptMessage {
  return { role, text, at }
}
