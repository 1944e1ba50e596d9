import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { adapterOf } from '../../../../../src/daemon/knowledge/transcript-import/adapters/adapters.js'
import type { RecordResult } from '../../../../../src/daemon/knowledge/transcript-import/forms/adapter.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../fixtures/transcripts/${name}`, import.meta.url))

async function read(form: string, bytes: Buffer | string, more: object = {}): Promise<RecordResult> {
  const adapter = adapterOf(form)
  if (!('readFile' in adapter)) throw new Error(`${form} has many records`)
  const source = (async function* () {
    const all = Buffer.from(bytes as string)
    for (let from = 0; from < all.length; from += 100_000) yield all.subarray(from, from + 100_000)
  })()
  return adapter.readFile({ name: 'log.jsonl', bytes: source, ...more }, new LoopBudget())
}

test('a log that its program has packed is read like the plain one', async t => {
  const plain = fixture('codex-rollout.jsonl')
  const wanted = await read('codex', plain)
  t.true('conversation' in wanted)
  t.deepEqual(await read('codex', fixture('codex-rollout.jsonl.zst')), wanted)
  t.deepEqual(await read('codex', gzipSync(plain)), wanted)
  t.like(await read('codex', gzipSync('nothing')), { rejection: 'unknown_shape' })
})

test('a small packed file with a huge content is refused', async t => {
  const bomb = gzipSync(Buffer.concat([fixture('codex-rollout.jsonl'), Buffer.alloc(257 * 1024 * 1024)]))
  t.like(await read('codex', bomb), { rejection: 'record_too_large' })
})

test('a picture or a long text in the first prompt hides neither session nor folder', async t => {
  const log = (content: unknown) =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content }, cwd: '/w/relay', sessionId: 's1' })}\n`
  const data = 'iVBORw0KGgo/'.repeat(40_000)
  const picture = { type: 'image', source: { type: 'base64', data } }
  const words = { type: 'text', text: 'the relay listens on 9123' }
  t.like(await read('claude-code', log([words, picture])), {
    conversation: { sessionKey: 's1', cwd: '/w/relay', messages: [{ text: words.text }] },
  })
  t.like(await read('claude-code', log('a log with a line\n'.repeat(100_000))), {
    conversation: { sessionKey: 's1', cwd: '/w/relay' },
  })
})

const claudeLine = (role: string, content: string, more: object = {}) =>
  JSON.stringify({ type: role, sessionId: 's1', cwd: '/w', message: { role, content }, ...more })
const said = (reading: RecordResult) =>
  'conversation' in reading ? reading.conversation.messages.map(({ text }) => text) : reading

test('torn, glued, doubled and otherwise encoded lines of a log cost no others', async t => {
  const [one, two, three] = [
    claudeLine('user', 'one'),
    claudeLine('assistant', 'two'),
    claudeLine('user', 'three'),
  ]
  t.deepEqual(said(await read('claude-code', `${one}${two}\n${three}\n`)), ['one', 'two', 'three'])
  const torn = await read('claude-code', `${one.slice(0, -20)}\0\0\0\n${two}\n{"a\n${three}`)
  t.deepEqual(said(torn), ['two', 'three'])
  t.like(torn, { leftOut: { unreadable_lines: 2 } })
  t.deepEqual(said(await read('claude-code', Buffer.from(`\ufeff${one}\r\n${two}\r\n`, 'utf16le'))), [
    'one',
    'two',
  ])
  const id = { uuid: 'u1', parentUuid: null }
  const doubled = [claudeLine('user', 'one', id), claudeLine('user', 'one', id), two, two]
  t.deepEqual(said(await read('claude-code', doubled.join('\n'))), ['one', 'two', 'two'])
})

test('a log without turns has no messages, one without readable lines is named', async t => {
  for (const line of [
    { type: 'summary', summary: 'x', leafUuid: 'y' },
    { type: 'file-history-snapshot', snapshot: {} },
  ])
    t.like(await read('claude-code', JSON.stringify(line)), { rejection: 'missing_messages' })
  t.deepEqual(
    await read('claude-code', JSON.stringify(JSON.parse(claudeLine('user', 'x')), null, 1).repeat(2)),
    {
      rejection: 'unknown_shape',
      detail: '16 of its lines are not JSON; `jq -c . FILE` puts each entry on one line',
    },
  )
})

test('a log that does not name its folder has the one that came with it', async t => {
  const log = fixture('gemini-session.jsonl')
  t.like(await read('gemini', log), { conversation: { cwd: null } })
  t.like(await read('gemini', log, { folder: '/w/shop' }), { conversation: { cwd: '/w/shop' } })
  const named = JSON.stringify({
    type: 'user',
    sessionId: 's',
    cwd: '/own',
    message: { role: 'user', content: 'x' },
  })
  t.like(await read('claude-code', named, { folder: '/w/shop' }), { conversation: { cwd: '/own' } })
})
