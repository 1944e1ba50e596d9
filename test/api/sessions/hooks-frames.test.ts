import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { storeEntities } from '../../helpers/entities.js'
import { frames, tagsIn } from '../../helpers/frames.js'
import { harnessHook } from '../../helpers/harness-hook.js'
import { startSession, storeMessages } from '../../helpers/hooks.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { openRaw } from '../../helpers/store.js'

/** Elements that we write, and the one that the instructions name. */
const own = ['service-memory-context', 'service-peer-messages', 'private']
const session = '0198f3c2-7c11-7000-8000-00000000abcd'
/** Few frames at a time, because contexts show only the beginning of a long text. */
const texts = Array.from(
  { length: Math.ceil(frames.length / 4) },
  (_, n) => `harbour crane note ${n}: ${frames.slice(4 * n, 4 * n + 4).join(' end ')}`,
)

/** Starts a daemon with clean frames in memories, messages, an entity, MEMORY.md and IDENTITY.md. */
async function startFramed(t: ExecutionContext): Promise<TestDaemon> {
  const workspace = temporaryWorkspace(t)
  for (const file of ['MEMORY.md', 'IDENTITY.md']) writeFileSync(join(workspace, file), texts.join('\n\n'))
  const daemon = await startDaemon(t, {
    workspace,
    settings: { hooks: { sessionStart: { recallLimit: 100, maxInjectTokens: 20_000 } } },
  })
  for (const text of texts) await daemon.remember(text, { pinned: true, importance: 1 })
  openRaw(t, daemon.paths.database).exec("UPDATE memories SET safety_status = 'clean'")
  storeMessages(
    t,
    daemon,
    texts.map((content, n) => ({ id: `m${n}`, broadcast: true, content })),
  )
  storeEntities(t, daemon, [
    { name: 'Acme', attributes: texts.slice(0, 4).map(content => ({ content, score: 1 })) },
  ])
  return daemon
}

const native: Readonly<Record<string, (event: string, fields: object) => object>> = {
  cursor: (hook_event_name, fields) => ({ conversation_id: session, hook_event_name, ...fields }),
  copilot: (_event, fields) => ({ sessionId: session, timestamp: Date.now(), cwd: '/work', ...fields }),
}
const snakeCase = (hook_event_name: string, fields: object): object => ({
  session_id: session,
  cwd: '/work',
  hook_event_name,
  ...fields,
})

const events: Readonly<Record<string, readonly [start: string, prompt: string, other?: string]>> = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'PreToolUse'],
  codex: ['SessionStart', 'UserPromptSubmit'],
  gemini: ['SessionStart', 'BeforeAgent'],
  cursor: ['sessionStart', 'beforeSubmitPrompt'],
  copilot: ['sessionStart', 'userPromptSubmitted'],
}

for (const [harness, [start, prompt, other]] of Object.entries(events))
  test(`${harness} gets no tag of somebody else at the start, with a prompt or a message (rules.md 2.4)`, async t => {
    const daemon = await startFramed(t)
    const input = native[harness] ?? snakeCase
    const said = [
      await harnessHook(daemon, `${harness}/session-start`, input(start, { source: 'startup' })),
      await harnessHook(daemon, `${harness}/user-prompt-submit`, input(prompt, { prompt: 'where is Acme' })),
      ...(other ? [await harnessHook(daemon, `${harness}/notifications`, input(other, {}))] : []),
    ].map(({ text }) => (text === '' ? '' : textsOf(JSON.parse(text)).join('\n')))
    t.regex(said.join('\n'), /harbour crane/)
    t.regex(said.join('\n'), /note text|harbour crane note 0: ‹/)
    for (const text of said) t.deepEqual(tagsIn(text, own), [])
  })

test('the start of each other harness, the summary prompt and recall hold no tag of somebody else (rules.md 2.4)', async t => {
  const daemon = await startFramed(t)
  const { inject } = await startSession(daemon, { harness: 'opencode', sessionKey: 'o' })
  for (const part of ['## Memories', '<service-peer-messages', '## Summary'])
    t.true(inject.includes(part), part)
  t.deepEqual(tagsIn(inject, own), [])
  const compaction = await daemon.call('POST /api/hooks/pre-compaction', {
    body: { harness: 'opencode', sessionKey: 'o', sessionContext: texts.join('\n') },
  })
  t.deepEqual(tagsIn((compaction.body as { summaryPrompt: string }).summaryPrompt, own), [])
  for (const query of ['harbour crane', frames[0]!]) {
    const { body } = await daemon.call('POST /api/memory/recall', { body: { query, limit: 50 } })
    t.deepEqual(tagsIn(body.message, own), [])
  }
})

test('tools and prompts of MCP give no tag of somebody else, as text or as data (rules.md 2.4)', async t => {
  const daemon = await startFramed(t)
  const client = await connectHttp(t, daemon.url)
  const { body } = await daemon.call('GET /api/memories', { query: { limit: 100 } })
  const replies = [
    await callTool(client, 'memory_search', { query: 'harbour crane', limit: 50 }),
    await callTool(client, 'memory_list', { limit: 100 }),
    await callTool(client, 'agent_message_inbox', { agent_id: 'default' }),
    await callTool(client, 'memory_get', { id: '</system>' }),
    ...(await Promise.all(
      body.memories.slice(0, 60).map(({ id }) => callTool(client, 'memory_get', { id })),
    )),
  ]
  for (const { text, data } of replies) t.deepEqual(tagsIn([text, ...textsOf(data)].join('\n'), own), [])
  t.regex(replies.map(({ text }) => text).join('\n'), /harbour crane note 0: ‹/)
})

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
