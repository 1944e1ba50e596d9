import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { storeEntities } from '../../helpers/entities.js'
import { harnessHook } from '../../helpers/harness-hook.js'
import { openRaw } from '../../helpers/store.js'

const session = '69cc6a03-7034-4c49-8cf9-3805c292a15c'
const timestamp = '2026-02-26T11:28:53.112Z'

const vscode = (hookEventName: string, fields: object = {}) => ({
  timestamp,
  hookEventName,
  sessionId: session,
  cwd: '/work/api',
  ...fields,
})
const grok = (hookEventName: string, fields: object = {}) => ({
  hookEventName,
  sessionId: session,
  cwd: '/work/api',
  timestamp,
  promptId: 'p',
  ...fields,
})

const cursor = (hook_event_name: string, fields: object = {}) => ({
  conversation_id: session,
  generation_id: 'g1',
  hook_event_name,
  cursor_version: '3.20.17',
  workspace_roots: ['/work/api'],
  ...fields,
})

async function knowing(t: ExecutionContext): Promise<TestDaemon> {
  const daemon = await startDaemon(t)
  await daemon.remember('We deploy with blue-green switches.', { pinned: true })
  storeEntities(t, daemon, [{ name: 'Acme', attributes: [{ content: 'Acme pays late.', score: 1 }] }])
  return daemon
}

/** Memories that count as given to sessions. */
const ledger = (t: ExecutionContext, { paths }: TestDaemon): number =>
  (openRaw(t, paths.database).prepare('SELECT count(*) AS n FROM recalled_memories').get() as { n: number }).n

test('VS Code gets the context of a start once from hooks of Claude Code and Copilot CLI, in the form it takes', async t => {
  const daemon = await knowing(t)
  const told = [
    await harnessHook(daemon, 'copilot/session-start', vscode('SessionStart', { source: 'new' })),
    await harnessHook(daemon, 'claude-code/session-start', vscode('SessionStart', { source: 'new' })),
  ]
  const [text = '', ...more] = told.map(({ text }) => text).filter(Boolean)
  t.deepEqual(more, [])
  t.regex(JSON.parse(text).hookSpecificOutput.additionalContext, /blue-green/)
  t.true(ledger(t, daemon) > 0)
  const { body } = await daemon.call('GET /api/sessions', { query: {} })
  t.deepEqual(
    body.sessions.map(({ key, harness }) => [key.replace(/^session:/u, ''), harness]),
    [[session, 'vscode']],
  )
})

test('facts for a prompt of VS Code, which it does not take, still come with Claude Code’s', async t => {
  const daemon = await knowing(t)
  const prompt = vscode('UserPromptSubmit', { prompt: 'what does Acme do' })
  t.is((await harnessHook(daemon, 'claude-code/user-prompt-submit', prompt)).text, '')
  const own = { session_id: session, hook_event_name: 'UserPromptSubmit', prompt: 'what does Acme do' }
  t.regex((await harnessHook(daemon, 'claude-code/user-prompt-submit', own)).text, /pays late/)
})

test('a session of Grok Build is listed, and no memory counts as given to it', async t => {
  const daemon = await knowing(t)
  for (const installed of ['claude-code', 'cursor']) {
    const { text } = await harnessHook(daemon, `${installed}/session-start`, grok('session_start'))
    t.is(text, '')
    const prompt = grok('user_prompt_submit', { prompt: 'what does Acme do' })
    t.is((await harnessHook(daemon, `${installed}/user-prompt-submit`, prompt)).text, '')
  }
  t.is(ledger(t, daemon), 0)
  const { body } = await daemon.call('GET /api/sessions', { query: {} })
  t.like(body.sessions[0], { harness: 'grok', prompts: 1 })
})

/** Payloads of three programs that run hooks of others, with those they find, and the texts that count. */
const ledgers = [
  {
    program: 'VS Code',
    hooks: ['copilot', 'claude-code', 'vscode'],
    start: vscode('SessionStart', { source: 'new' }),
    prompt: vscode('UserPromptSubmit', { prompt: 'what does Acme do' }),
    takes: { start: true, prompt: false },
  },
  {
    program: 'Grok Build',
    hooks: ['claude-code', 'cursor', 'grok'],
    start: grok('session_start'),
    prompt: grok('user_prompt_submit', { prompt: 'what does Acme do' }),
    takes: { start: false, prompt: false },
  },
  {
    program: 'Cursor',
    hooks: ['claude-code', 'cursor'],
    start: cursor('sessionStart'),
    prompt: cursor('beforeSubmitPrompt', { prompt: 'what does Acme do' }),
    takes: { start: true, prompt: true },
  },
]

for (const { program, hooks, start, prompt, takes } of ledgers)
  test(`the ledger of ${program} has what it was given, once, however many hooks it finds`, async t => {
    const daemon = await knowing(t)
    const tell = async (hook: string, input: object) => {
      const told = []
      for (const installed of hooks) told.push(await harnessHook(daemon, `${installed}/${hook}`, input))
      return told.filter(({ text }) => /blue-green|pays late/u.test(text)).length
    }
    t.is(await tell('session-start', start), takes.start ? 1 : 0)
    const ofStart = ledger(t, daemon)
    t.is(ofStart > 0, takes.start)
    t.is(await tell('user-prompt-submit', prompt), takes.prompt ? 1 : 0)
    t.is(ledger(t, daemon) - ofStart, takes.prompt ? 1 : 0)
    const { body } = await daemon.call('GET /api/sessions', { query: {} })
    t.is(body.sessions.length, 1)
    t.is(body.sessions[0]?.prompts, 1)
  })

test('a stop of VS Code captures its transcript', async t => {
  const daemon = await knowing(t)
  const folder = join(temporaryWorkspace(t), 'GitHub.copilot-chat', 'transcripts')
  mkdirSync(folder, { recursive: true })
  const transcript_path = join(folder, `${session}.jsonl`)
  const lines = [
    { type: 'session.start', data: { sessionId: session } },
    { type: 'user.message', data: { content: `why does it fail ${'so often '.repeat(80)}` } },
    { type: 'assistant.message', data: { content: 'The cache is stale.', reasoningText: 'hidden' } },
  ]
  writeFileSync(transcript_path, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  await harnessHook(daemon, 'claude-code/session-start', vscode('SessionStart'))
  await harnessHook(daemon, 'claude-code/checkpoint', vscode('Stop', { transcript_path }))
  const said = await until(async () => {
    const { status, body } = await daemon.call('GET /api/sessions/:key/transcript', {
      params: { key: session },
    })
    return status === 200 ? body : undefined
  })
  t.like(said, { harness: 'vscode', messages: 2 })
  t.regex(said.content, /The cache is stale/)
  t.false(said.content.includes('hidden'))
})
