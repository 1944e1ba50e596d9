import { readFileSync } from 'node:fs'
import test from 'ava'
import { adapterOf } from '../../../../../src/daemon/knowledge/transcript-import/adapters/adapters.js'
import type { RecordResult } from '../../../../../src/daemon/knowledge/transcript-import/forms/adapter.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'

function readRecord(name: string, record: unknown): RecordResult {
  const adapter = adapterOf(name)
  if (!('read' in adapter)) throw new Error(`${name} reads whole files`)
  return adapter.read(Buffer.from(JSON.stringify(record)))
}

async function readFile(name: string, file: string, fileId = file): Promise<RecordResult> {
  const adapter = adapterOf(name)
  const bytes = readFileSync(new URL(`../../../../fixtures/transcripts/${file}`, import.meta.url))
  if ('read' in adapter) return adapter.read(bytes)
  const source = (async function* () {
    yield bytes
  })()
  return adapter.readFile({ name: fileId, bytes: source }, new LoopBudget())
}

async function recordsOf<T>(framed: AsyncIterable<T>): Promise<T[]> {
  const records: T[] = []
  for await (const record of framed) records.push(record)
  return records
}

const said = (reading: RecordResult) =>
  'conversation' in reading
    ? reading.conversation.messages.map(({ role, text }) => `${role}: ${text}`)
    : reading

const node = (parent: string | null, message: unknown) => ({ parent, message, children: [] })
const message = (role: string, parts: unknown[], more: object = {}) => ({
  author: { role },
  content: { content_type: 'text', parts },
  create_time: 1_700_000_000.5,
  ...more,
})

test('a ChatGPT export yields the last branch, without images and hidden messages', t => {
  const mapping = {
    root: node(null, null),
    system: node('root', message('system', [''])),
    hidden: node(
      'system',
      message('user', ['about me'], { metadata: { is_visually_hidden_from_conversation: true } }),
    ),
    asked: node('hidden', message('user', [{ content_type: 'image_asset_pointer' }, 'what is this?'])),
    old: node('asked', message('assistant', ['a dog'])),
    tool: node('asked', { ...message('tool', []), content: { content_type: 'code', text: 'look()' } }),
    answer: node('tool', message('assistant', ['a cat', 'or a dog'])),
  }
  const record = { id: 'c1', title: 't', update_time: 1_700_000_100, current_node: 'answer', mapping }
  const reading = readRecord('chatgpt-export', record)
  t.deepEqual(said(reading), ['user: what is this?', 'tool: look()', 'assistant: a cat\n\nor a dog'])
  t.like(reading, {
    conversation: {
      sessionKey: 'chatgpt-c1',
      harness: 'chatgpt',
      capturedAt: '2023-11-14T22:15:00.000Z',
      messages: [{ at: '2023-11-14T22:13:20.500Z' }],
    },
  })
  const rejected = (fields: object) =>
    (readRecord('chatgpt-export', { ...record, ...fields }) as { rejection?: string }).rejection
  t.is(rejected({ mapping: undefined }), 'unknown_shape')
  t.is(rejected({ mapping: { answer: node(null, null) } }), 'missing_messages')
})

test('a ChatGPT conversation without a last message, or with missing or circular ones, keeps the rest', t => {
  const read = (mapping: object, more: object = {}) =>
    readRecord('chatgpt-export', { id: 'c1', title: null, mapping, ...more })
  const at = (time: number | null) => ({ create_time: time })
  const chosen = { r: node(null, null), a: node('r', message('user', ['we chose NATS'], at(null))) }
  t.deepEqual(said(read(chosen)), ['user: we chose NATS'])
  t.deepEqual(said(read(chosen, { current_node: 'gone' })), ['user: we chose NATS'])
  t.deepEqual(said(read({ a: node('zz', message('user', ['we chose NATS'])) }, { current_node: 'a' })), [
    'user: we chose NATS',
  ])
  const broken = {
    r: node(null, null),
    a: node('r', message('user', ['first'], at(1))),
    b: node('a', message('assistant', ['second'], at(2))),
    other: node('a', message('assistant', ['regenerated'], at(1.5))),
    d: node('lost', message('user', ['fourth'], at(4))),
    e: node('d', message('assistant', ['fifth'], at(5))),
    later: node('a', message('assistant', ['edited later'], at(9))),
  }
  const reading = read(broken, { current_node: 'e' })
  t.deepEqual(said(reading), ['user: first', 'assistant: second', 'user: fourth', 'assistant: fifth'])
  t.like(reading, { leftOut: { missing_messages: 1 } })
  const circle = { a: node('b', message('user', ['one'])), b: node('a', message('assistant', ['two'])) }
  t.deepEqual(said(read(circle, { current_node: 'b' })), ['user: one', 'assistant: two'])
  const odd = {
    a: node(null, message('wizard', ['by nobody'])),
    b: node('a', 7),
    c: node('b', { author: null, content: 'plain', create_time: 'soon' }),
    d: node('c', { author: { role: 'user' }, content: { content_type: 'hologram' } }),
  }
  const kept = read(odd, { update_time: 'now', id: 7 })
  t.deepEqual(said(kept), ['unknown: by nobody', 'unknown: plain'])
  t.like(kept, {
    conversation: { sessionKey: 'chatgpt-7', capturedAt: null },
    leftOut: { odd_messages: 1, odd_times: 2, odd_parts: 1 },
  })
})

test('a Claude export yields the texts of people and model, from blocks or plain fields', t => {
  const created_at = '2026-01-02T03:04:05.123456Z'
  const chat_messages = [
    { sender: 'human', text: 'hello', created_at },
    {
      sender: 'assistant',
      text: 'ignored',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hi' },
      ],
      created_at,
    },
    { sender: 'human', text: '', created_at },
  ]
  const record = { uuid: 'u1', name: 'n', created_at, updated_at: created_at, chat_messages }
  const reading = readRecord('claude-export', record)
  t.deepEqual(said(reading), ['user: hello', 'assistant: hi'])
  t.like(reading, { conversation: { sessionKey: 'claude-u1', capturedAt: '2026-01-02T03:04:05.123Z' } })
  const rejected = (fields: object) =>
    (readRecord('claude-export', { ...record, ...fields }) as { rejection?: string }).rejection
  t.is(rejected({ chat_messages: undefined }), 'unknown_shape')
  t.is(rejected({ chat_messages: [] }), 'missing_messages')
  const odd = [null, 7, { sender: 'robot', text: 'x', created_at: 'soon' }, { sender: 'human', text: 'y' }]
  const kept = readRecord('claude-export', { ...record, uuid: undefined, chat_messages: odd })
  t.deepEqual(said(kept), ['unknown: x', 'user: y'])
  t.like(kept, { leftOut: { odd_messages: 2, odd_times: 1 } })
})

test('texts pasted into claude.ai belong to their turn, under the names of their files', t => {
  const attachments = [
    { file_name: 'notes.txt', extracted_content: 'the deploy key rotates on Mondays' },
    { file_name: '', extracted_content: 'pasted' },
    { file_name: 'empty.txt', extracted_content: '' },
  ]
  const pasted = { uuid: 'm1', sender: 'human', text: '', content: [], attachments }
  const asked = { ...pasted, content: [{ type: 'text', text: 'when?' }], attachments: [attachments[1]] }
  t.deepEqual(said(readRecord('claude-export', { uuid: 'u', chat_messages: [pasted, asked] })), [
    'user: notes.txt:\n\nthe deploy key rotates on Mondays\n\npasted',
    'user: when?\n\npasted',
  ])
})

test('an exported OpenCode session is read, and anything else is rejected with what it was', async t => {
  const reading = await readFile('opencode', 'opencode-1.18.33.json')
  t.like(reading, {
    conversation: {
      sessionKey: 'ses_dfbf31ca2ffexPZgou3ydKNmji',
      cwd: '/home/ada/heron',
      messages: [{ role: 'user', text: 'Tell me what you know about the heron service.' }],
    },
  })
  t.deepEqual(readRecord('opencode', { sessions: [] }), {
    rejection: 'unknown_shape',
    detail: 'a session has info and messages; seen are "sessions"',
  })
})

test('imported logs of coding agents are read as in captures, with the same session keys', async t => {
  const logs = [
    ['claude-code', 'claude-code-2.1.330.jsonl', 'b0184e54-70fe-4561-92cb-7539ce0da79f'],
    ['codex', 'codex-0.169.0.jsonl', '01a2040b-b31b-7663-9452-ef6277aa3a35'],
    ['copilot', 'copilot-1.0.102.jsonl', '3e08c57a-f493-4cd7-b539-c60fccf5a659'],
    ['gemini', 'gemini-0.61.0.jsonl', '7136ef1e-a8a3-41f2-9226-e22e09a79fa4'],
  ] as const
  for (const [name, file, sessionKey] of logs) {
    t.like(await readFile(name, file), {
      conversation: { sessionKey, harness: name, messages: [{ role: 'user' }] },
    })
    for (const [other, otherFile] of logs)
      if (other !== name)
        t.like(await readFile(name, otherFile), { rejection: 'unknown_shape' }, `${name} is not ${other}`)
    t.like(await readFile(name, 'plain.txt'), { rejection: 'unknown_shape' })
  }
})

test('a log named after a session belongs to it, whatever its first lines contain', async t => {
  const forked = '9d1c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a99'
  t.like(await readFile('claude-code', 'claude-code.jsonl', `${forked}.jsonl`), {
    conversation: { sessionKey: forked },
  })
})

test('a record that is not UTF-8 or has too many messages is rejected with that reason', t => {
  const adapter = adapterOf('service-export')
  if (!('read' in adapter)) throw new Error('it reads whole files')
  const line = Buffer.from('{"messages":[{"role":"user","text":"caf\u00e9"}]}', 'latin1')
  t.deepEqual(adapter.read(line), { rejection: 'invalid_encoding' })
  const of = (count: number) => ({
    messages: Array.from({ length: count }, () => ({ role: 'user', text: 'x' })),
  })
  t.like(readRecord('service-export', of(50_000)), { conversation: { messages: { length: 50_000 } } })
  t.deepEqual(readRecord('service-export', of(50_001)), {
    rejection: 'too_many_messages',
    detail: 'the record has 50001 messages',
  })
})

test('prompts of a Takeout of Gemini that follow each other are one conversation', async t => {
  const adapter = adapterOf('gemini-takeout')
  if (!('framing' in adapter)) throw new Error('gemini-takeout reads records')
  const prompt = (time: string, title: string, html?: string) => ({
    header: 'Gemini Apps',
    title,
    time,
    products: ['Gemini Apps'],
    ...(html !== undefined && { safeHtmlItem: [{ html }] }),
  })
  // Newest first, as Google writes it.
  const activities = [
    prompt('2026-01-02T08:00:00Z', 'Gave feedback: Good response'),
    prompt('2026-01-01T10:20:00Z', 'Eingegebener Prompt: und der Umweg?', '<ul><li>9124</li></ul>'),
    prompt('2026-01-01T10:00:00Z', 'Prompted which port has the relay', '<p><b>9123</b> &amp; no other</p>'),
    { header: 'Search', title: 'Searched for relay', time: '2026-01-01T09:00:00Z' },
    prompt('2026-01-01T08:59:00Z', 'Prompted draw a relay'),
  ]
  const bytes = Buffer.from(JSON.stringify(activities, null, 2))
  const source = async function* (from = 0) {
    for (let at = from; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  }
  const read = await recordsOf(adapter.framing(source(), { bytes: 0, number: 0 }))
  const readings = read.map(record => adapter.read(record.bytes as Buffer))
  t.deepEqual(readings.map(said), [
    { rejection: 'missing_messages' },
    [
      'user: which port has the relay',
      'assistant: **9123** & no other',
      'user: Eingegebener Prompt: und der Umweg?',
      'assistant: - 9124',
    ],
    {
      rejection: 'unknown_shape',
      detail: 'an activity has the header "Gemini Apps"; seen are "header", "title", "time"',
    },
    ['user: draw a relay'],
  ] as unknown as ReturnType<typeof said>[])
  t.like(readings[1], {
    conversation: {
      sessionKey: 'gemini-takeout-2026-01-01T10:00:00.000Z',
      capturedAt: '2026-01-01T10:20:00.000Z',
    },
  })
  // Each record ends where reading can go on.
  const [, second] = read
  const rest = await recordsOf(
    adapter.framing(source(second?.end), { bytes: second?.end ?? 0, number: second?.number ?? 0 }),
  )
  t.deepEqual(rest, read.slice(2))
})
