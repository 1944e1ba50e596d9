import test from 'ava'
import { adapterOf } from '../../../../../src/daemon/knowledge/transcript-import/adapters/adapters.js'
import type { RecordResult } from '../../../../../src/daemon/knowledge/transcript-import/forms/adapter.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'

/** Conversations of each form; each has one odd message. */
const perForm = 250
const normal = 5
const marker = 'oddly said'

type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

/** Numbers from 0 to 1, the same in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Form {
  adapter: string
  /** One line for each message, or one document. */
  isLines: boolean
  message(role: 'user' | 'assistant', text: string, at: number): Json
  /** The beginning of a log, or the document around the messages. */
  around(messages: Json[]): Json
}

const time = (at: number) => `2026-01-02T10:00:${String(at).padStart(2, '0')}.000Z`
const gemini = (role: string, text: string, at: number): Json => ({
  id: `m${at}`,
  type: role === 'user' ? 'user' : 'gemini',
  timestamp: time(at),
  content: [{ text }],
})

const forms: Readonly<Record<string, Form>> = {
  'claude-code': {
    adapter: 'claude-code',
    isLines: true,
    message: (role, text, at) => ({
      type: role,
      message: { role, content: [{ type: 'text', text }] },
      timestamp: time(at),
      uuid: `u${at}`,
      cwd: '/w/relay',
      sessionId: 's1',
    }),
    around: () => ({ type: 'summary', summary: 'x', sessionId: 's1' }),
  },
  codex: {
    adapter: 'codex',
    isLines: true,
    message: (role, text, at) => ({
      timestamp: time(at),
      type: 'response_item',
      payload: {
        type: 'message',
        role,
        content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
      },
    }),
    around: () => ({ type: 'session_meta', payload: { id: 's1', cwd: '/w/relay' } }),
  },
  copilot: {
    adapter: 'copilot',
    isLines: true,
    message: (role, text, at) => ({
      type: `${role}.message`,
      data: { content: text },
      id: `e${at}`,
      timestamp: time(at),
    }),
    around: () => ({ type: 'session.start', data: { sessionId: 's1', cwd: '/w/relay' } }),
  },
  'gemini lines': {
    adapter: 'gemini',
    isLines: true,
    message: gemini,
    around: () => ({ sessionId: 's1', projectHash: 'h', startTime: time(0), kind: 'main' }),
  },
  'gemini document': {
    adapter: 'gemini',
    isLines: false,
    message: gemini,
    around: messages => ({ sessionId: 's1', projectHash: 'h', directories: ['/w'], messages }),
  },
  'chatgpt-export': {
    adapter: 'chatgpt-export',
    isLines: false,
    message: (role, text, at) => ({
      id: `n${at}`,
      parent: at === 0 ? 'root' : `n${at - 1}`,
      message: {
        author: { role },
        content: { content_type: 'text', parts: [text] },
        create_time: 1_760_000_000 + at,
      },
    }),
    around: messages => ({
      id: 'c1',
      current_node: `n${messages.length - 1}`,
      mapping: {
        root: { id: 'root', parent: null, message: null },
        ...Object.fromEntries(messages.map((message, at) => [`n${at}`, message])),
      },
    }),
  },
  'claude-export': {
    adapter: 'claude-export',
    isLines: false,
    message: (role, text, at) => ({
      uuid: `m${at}`,
      sender: role === 'user' ? 'human' : role,
      // A copy of the blocks, which count.
      text: '',
      content: [{ type: 'text', text }],
      attachments: [],
      created_at: time(at),
    }),
    around: chat_messages => ({ uuid: 'u1', created_at: time(0), chat_messages }),
  },
  opencode: {
    adapter: 'opencode',
    isLines: false,
    message: (role, text, at) => ({
      info: { id: `m${at}`, role, time: { created: 1_760_000_000_000 + at } },
      parts: [{ type: 'text', text }],
    }),
    around: messages => ({ info: { id: 's1', directory: '/w/relay' }, messages }),
  },
}

/** Replaces one place of a message, or all of it. A type gets no other name, since that is another record. */
function oddOf(message: Json, draw: () => number): Json {
  const any = (): Json =>
    ([null, true, 0, -1.5e300, '', 'x', 'ü\u0000\ud800', [], {}, [[null]], { text: [] }, ['x', 7]] as Json[])[
      Math.floor(draw() * 12)
    ] as Json
  const places: [{ [field: string]: Json }, string][] = []
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      places.push([value as { [field: string]: Json }, field])
      visit(inner)
    }
  }
  const odd = structuredClone(message)
  visit(odd)
  const at = Math.floor(draw() * (places.length + 2))
  const place = places[at]
  if (place === undefined) return at === places.length ? any() : { ...(odd as object), future: any() }
  const [owner, field] = place
  const value = any()
  const isKind = field === 'type' && typeof value === 'string'
  if (draw() < 0.3 && !Array.isArray(owner)) delete owner[field]
  else if (draw() < 0.1) owner[field] = [value, owner[field] as Json, value]
  else owner[field] = isKind ? null : value
  return odd
}

/** Writes a conversation; a line may also be torn, or have a byte that is not UTF-8. */
function bytesOf(
  form: Form,
  messages: Json[],
  odd: Json,
  draw: () => number,
): { bytes: Buffer; how: string } {
  const how = draw() < 0.15 ? (form.isLines ? 'torn' : 'byte') : draw() < 0.05 ? 'byte' : 'odd'
  const written = (message: Json): string => {
    const line = JSON.stringify(message)
    if (message !== odd || how !== 'torn') return line
    return line.slice(0, 1 + Math.floor(draw() * (line.length - 1)))
  }
  const all = form.isLines
    ? `${[form.around([]), ...messages].map(written).join('\n')}\n`
    : JSON.stringify(form.around(messages))
  const bytes = Buffer.from(all)
  const at = how === 'byte' ? bytes.indexOf(marker) : -1
  if (at >= 0) bytes[at + marker.length] = 0xff
  return { bytes, how }
}

async function read(form: Form, bytes: Buffer): Promise<RecordResult> {
  const adapter = adapterOf(form.adapter)
  if ('read' in adapter) return adapter.read(bytes)
  const source = (async function* () {
    yield bytes
  })()
  return adapter.readFile({ name: 'log.jsonl', bytes: source }, new LoopBudget())
}

for (const [seed, [name, form]] of Object.entries(forms).entries())
  test(`${perForm} odd messages cost no conversation, and each loss is counted: ${name}`, async t => {
    const draw = numbersFrom(seed + 1)
    let losses = 0
    for (let run = 0; run < perForm; run++) {
      const oddAt = Math.floor(draw() * (normal + 1))
      const texts = Array.from({ length: normal + 1 }, (_, at) =>
        at === oddAt ? `${marker}.` : `said ${at}`,
      )
      const whole = texts.map((text, at) => form.message(at % 2 === 0 ? 'user' : 'assistant', text, at))
      const odd = oddOf(whole[oddAt] as Json, draw)
      const messages = whole.map((message, at) => (at === oddAt ? odd : message))
      const { bytes, how } = bytesOf(form, messages, odd, draw)
      const reading = await read(form, bytes)
      const label = `${how}: ${JSON.stringify(odd)} gives ${JSON.stringify(reading)}`
      if (!('conversation' in reading)) return t.fail(label)
      const said = reading.conversation.messages.map(({ text }) => text)
      const kept = said.filter(text => text.startsWith('said '))
      t.deepEqual(
        kept,
        texts.filter((_, at) => at !== oddAt),
        label,
      )
      const isKept = said.some(text => text.includes(marker))
      const counted = Object.values(reading.leftOut ?? {}).reduce((sum, count) => sum + count, 0)
      const saysNothing = how !== 'torn' && !JSON.stringify(odd).includes(marker)
      if (!isKept && !saysNothing) losses++
      t.true(isKept || saysNothing || counted > 0, label)
    }
    t.log(`${losses} of ${perForm} were left out and counted`)
  })
