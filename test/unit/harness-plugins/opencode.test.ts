import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { planContext, thisMachine } from '../../../src/cli/connect/plan-context.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

interface Part {
  type: string
  text: string
  synthetic?: boolean
}
interface Message {
  info: { id: string; sessionID: string; role: string; summary?: boolean; time?: { created: number } }
  parts: Part[]
}
type Body = Record<string, unknown>
type Hook = (input: unknown, output: unknown) => Promise<void>
type Hooks = Record<string, Hook> & { event: (input: { event: unknown }) => Promise<void> }

/** A daemon that answers each hook as told and keeps what it was sent; a hook without an answer hangs. */
async function fakeDaemon(t: ExecutionContext, workspace: string, answers: Record<string, unknown>) {
  const calls: { hook: string; body: Body }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const hook = request.url?.split('/').at(-1) ?? ''
      calls.push({ hook, body: JSON.parse(Buffer.concat(chunks).toString()) })
      const answer = answers[hook]
      if (answer === undefined) return
      response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  mkdirSync(join(workspace, '.daemon'), { recursive: true })
  writeFileSync(join(workspace, '.daemon', 'daemon.json'), JSON.stringify({ host: '127.0.0.1', port }))
  const sent = (hook: string) => calls.filter(call => call.hook === hook).map(({ body }) => body)
  return { calls, sent }
}

const everyAnswer = {
  'session-start': { inject: '<service-memory-context>yours</service-memory-context>' },
  'user-prompt-submit': { clockContext: 'It is noon.', inject: '## Relevant Entity Context' },
  notifications: { inject: 'a word of a peer' },
  'pre-compaction': { summaryPrompt: 'Sum up. Keep decisions.', guidelines: 'Keep decisions.' },
  'compaction-complete': { success: true },
  'session-checkpoint-extract': { skipped: true },
  'session-end': {},
}

/** The plugin as connect writes it, loaded by itself: its workspace is the test's. */
async function plugin(
  t: ExecutionContext,
  options: {
    answers?: Record<string, unknown>
    messages?: Record<string, Message[]>
    command?: string[]
    /** Keeps the plugin's deadlines; others do not fail for a machine that is slow. */
    isHurried?: boolean
  } = {},
) {
  const workspace = temporaryWorkspace(t)
  const { answers, messages = {}, command = ['memory-that-is-not-there'], isHurried = false } = options
  const daemon = answers ? await fakeDaemon(t, workspace, answers) : undefined
  const context = await planContext(thisMachine(workspace))
  const file = join(workspace, 'memory-service.mjs')
  const text = context.pluginText({ memory: command, mcp: [], reason: '' })
  const unhurried = text.replace(/(?<=^const deadlines = .*): \d[\d_]*/gmu, ': 20_000')
  writeFileSync(file, isHurried ? text : unhurried)
  const client = {
    session: {
      messages: async ({ path: { id } }: { path: { id: string } }) => {
        if (!messages[id]) throw new Error('no such session')
        return { data: messages[id] }
      },
    },
  }
  const exported = (await import(pathToFileURL(file).href)) as Record<
    string,
    (input: unknown) => Promise<Hooks>
  >
  t.deepEqual(Object.keys(exported), ['MemoryService'])
  const hooks = await exported.MemoryService!({ client, directory: '/shop/src', worktree: '/shop' })
  return { hooks, sent: daemon?.sent ?? (() => []), calls: daemon?.calls ?? [], messages, workspace }
}

const said = (id: string, role: string, text: string, more: object = {}): Message => ({
  info: { id, sessionID: 's1', role, time: { created: 1000 }, ...more },
  parts: [{ type: 'text', text }],
})

async function prompt(hooks: Hooks, message: Message): Promise<void> {
  await hooks['chat.message']!({ sessionID: 's1' }, { message: message.info, parts: message.parts })
}

test('a session starts once and its context stands in every system prompt', async t => {
  const { hooks, sent } = await plugin(t, { answers: everyAnswer })
  const systems = [['base'], ['base']]
  await Promise.all(
    systems.map(system => hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })),
  )
  for (const system of systems) t.deepEqual(system, ['base', everyAnswer['session-start'].inject])
  t.deepEqual(sent('session-start'), [
    { harness: 'opencode', sessionKey: 's1', runtimePath: 'plugin', project: '/shop', cwd: '/shop/src' },
  ])
})

test('a prompt is told, and what comes back goes to the model only', async t => {
  const { hooks, sent } = await plugin(t, { answers: everyAnswer })
  const question = said('m1', 'user', 'what about ann?')
  question.parts.push({ type: 'text', text: 'a file', synthetic: true })
  await prompt(hooks, question)
  t.like(sent('user-prompt-submit')[0], { userMessage: 'what about ann?', runtimePath: 'plugin' })
  t.is(question.parts.length, 2)

  const toModel = structuredClone([question])
  await hooks['experimental.chat.messages.transform']!({}, { messages: toModel })
  t.like(toModel[0]!.parts[2], {
    type: 'text',
    text: 'It is noon.\n\n## Relevant Entity Context',
    synthetic: true,
    messageID: 'm1',
    sessionID: 's1',
  })
})

test('notifications come with the later calls of a turn, and the context of a prompt stays the same', async t => {
  const { hooks, sent } = await plugin(t, { answers: everyAnswer })
  const question = said('m1', 'user', 'go')
  await prompt(hooks, question)
  const turns = [structuredClone([question]), structuredClone([question, said('m2', 'assistant', 'doing')])]
  for (const messages of turns) await hooks['experimental.chat.messages.transform']!({}, { messages })
  t.deepEqual(turns[0]![0]!.parts[1]!.text, turns[1]![0]!.parts[1]!.text)
  t.is(turns[0]![0]!.parts.length, 2)
  t.is(turns[1]![0]!.parts[2]!.text, 'a word of a peer')
  t.like(sent('notifications'), [{ hook: 'experimental.chat.messages.transform', sessionKey: 's1' }])
})

test('a compaction gets our advice, and its summary is kept', async t => {
  const messages = {
    s1: [said('m1', 'user', 'go'), said('m2', 'assistant', 'We chose SQLite.', { summary: true })],
  }
  const { hooks, sent } = await plugin(t, { answers: everyAnswer, messages })
  const output = { context: ['theirs'] }
  await hooks['experimental.session.compacting']!({ sessionID: 's1' }, output)
  t.deepEqual(output.context, ['theirs', 'Sum up. Keep decisions.'])
  await hooks.event({ event: { type: 'session.compacted', properties: { sessionID: 's1' } } })
  await until(() => sent('compaction-complete').length > 0)
  t.like(sent('compaction-complete')[0], {
    summary: 'We chose SQLite.',
    project: '/shop',
    harness: 'opencode',
  })
})

test('a session at rest is checkpointed; a deleted one ends with what was said, though its messages are gone', async t => {
  const messages: Record<string, Message[]> = {
    s1: [said('m1', 'user', 'deploy?'), said('m2', 'assistant', 'on Tuesdays'), said('m3', 'assistant', ' ')],
  }
  const { hooks, sent } = await plugin(t, { answers: everyAnswer, messages })
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's1' } } })
  await until(() => sent('session-checkpoint-extract').length > 0)
  const transcript = sent('session-checkpoint-extract')[0]!.transcript as string
  t.deepEqual(
    transcript.split('\n').map(line => JSON.parse(line)),
    [
      { role: 'user', text: 'deploy?', at: '1970-01-01T00:00:01.000Z' },
      { role: 'assistant', text: 'on Tuesdays', at: '1970-01-01T00:00:01.000Z' },
    ],
  )
  delete messages.s1
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 's1' } } } })
  await until(() => sent('session-end').length > 0)
  t.like(sent('session-end')[0], { sessionKey: 's1', reason: 'session.deleted', transcript })
})

test('sessions of sub-agents are left alone', async t => {
  const { hooks, calls } = await plugin(t, {
    answers: everyAnswer,
    messages: { s1: [said('m1', 'user', 'x')] },
  })
  await hooks.event({
    event: { type: 'session.created', properties: { info: { id: 's1', parentID: 's0' } } },
  })
  await prompt(hooks, said('m1', 'user', 'x'))
  const system: string[] = []
  await hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 's1' } } } })
  t.deepEqual(system, [])
  t.deepEqual(calls, [])
})

test('a daemon that hangs, refuses or is gone costs its deadline at most, and nothing breaks', async t => {
  const hanging = await plugin(t, { isHurried: true, answers: { 'session-start': { inject: 'x' } } })
  const started = performance.now()
  const question = said('m1', 'user', 'go')
  await prompt(hanging.hooks, question)
  t.true(performance.now() - started < 3000)
  t.is(question.parts.length, 1)

  const refusing = await plugin(t, {
    answers: Object.fromEntries(Object.keys(everyAnswer).map(hook => [hook, 409])),
  })
  const system: string[] = []
  await refusing.hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })
  t.deepEqual(system, [])

  const alone = await plugin(t)
  await prompt(alone.hooks, question)
  t.is(question.parts.length, 1)
})

test('a daemon that is not there is started, and the session start waits for it', async t => {
  const { hooks, workspace } = await plugin(t, {
    command: [
      process.execPath,
      '-e',
      `require('node:fs').writeFileSync(process.argv.at(-1) + '/started', '')`,
    ],
  })
  const system: string[] = []
  const start = hooks['experimental.chat.system.transform']!({ sessionID: 's1' }, { system })
  const daemon = await fakeDaemon(t, workspace, everyAnswer)
  await start
  t.deepEqual(system, [everyAnswer['session-start'].inject])
  t.is(daemon.sent('session-start').length, 1)
})
