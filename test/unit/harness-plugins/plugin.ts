import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ExecutionContext } from 'ava'
import { opencode } from '../../../src/cli/sessions/connect/harnesses/opencode.js'
import { planContext, thisMachine } from '../../../src/cli/sessions/connect/plan-context.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'
import { answerChallenge, fakeInstance, writeRegistration } from '../../helpers/fake-daemon.js'

interface Part {
  type: string
  text: string
  synthetic?: boolean
}
export interface Message {
  /** `summary` is true for the text of a compaction, and an object with changed files for prompts. */
  info: {
    id: string
    sessionID: string
    role: string
    summary?: boolean | object
    time?: { created: number }
  }
  parts: Part[]
}
type Body = Record<string, unknown>
type Hook = (input: unknown, output: unknown) => Promise<void>
export type Hooks = Record<string, Hook> & {
  event: (input: { event: unknown }) => Promise<void>
  dispose: () => Promise<void>
}

/** A conversation in the format of OpenCode 1.18.33 with a compaction; the texts are invented. */
export const recorded: Message[] = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '..', '..', 'fixtures', 'transcripts', 'opencode-messages.json'),
    'utf8',
  ),
)

/**
 * Starts a daemon that proves itself, records its requests and answers each hook; a hook without an answer
 * hangs.
 */
export async function fakeDaemon(t: ExecutionContext, workspace: string, answers: Record<string, unknown>) {
  const calls: { hook: string; body: Body }[] = []
  const server = createServer((request, response) => {
    if (request.url === '/health') {
      answerChallenge(request, response)
      response.end()
      return
    }
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
  writeRegistration(workspace, JSON.stringify({ host: '127.0.0.1', port, instance: fakeInstance }))
  const sent = (hook: string) => calls.filter(call => call.hook === hook).map(({ body }) => body)
  return { calls, sent }
}

export const everyAnswer = {
  'session-start': { inject: '<service-memory-context>yours</service-memory-context>' },
  'user-prompt-submit': { clockContext: 'It is noon.', inject: '## Relevant Entity Context' },
  notifications: { inject: 'a word of a peer' },
  'pre-compaction': { summaryPrompt: 'Sum up. Keep decisions.', guidelines: 'Keep decisions.' },
  'compaction-complete': { success: true },
  'session-checkpoint-extract': { skipped: true },
  'session-end': {},
}

/** Loads the plugin as written by memory connect, with the workspace of the test. */
export async function plugin(
  t: ExecutionContext,
  options: {
    answers?: Record<string, unknown>
    messages?: Record<string, Message[]>
    command?: string[]
    /** Keeps the short deadlines of the plugin; otherwise they are long enough for slow machines. */
    isHurried?: boolean
    /** Time in ms until an idle session is captured; longer than any test by default. */
    restMs?: number
  } = {},
) {
  const workspace = temporaryWorkspace(t)
  const {
    answers,
    messages = {},
    command = ['memory-that-is-not-there'],
    isHurried = false,
    restMs = 600_000,
  } = options
  const daemon = answers ? await fakeDaemon(t, workspace, answers) : undefined
  const context = await planContext(thisMachine(workspace))
  const file = join(workspace, 'memory-service.mjs')
  const text = context.pluginText({ memory: command, mcp: [], reason: '' }, opencode)
  const resting = text.replace(/^const idleMs = .*$/mu, `const idleMs = ${restMs}`)
  const unhurried = resting.replace(/^const deadlines = \{[^}]*\}/mu, deadlines =>
    deadlines.replace(/: \d[\d_]*/gu, ': 20_000'),
  )
  writeFileSync(file, isHurried ? resting : unhurried)
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
  const happened = (type: string, properties: object) => hooks.event({ event: { type, properties } })
  return {
    hooks,
    happened,
    sent: daemon?.sent ?? (() => []),
    calls: daemon?.calls ?? [],
    messages,
    workspace,
  }
}

/** Returns the lines of a transcript as `role: text`. */
export function linesOf(body: Body | undefined): string[] {
  return String(body?.transcript ?? '')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { role: string; text: string })
    .map(({ role, text }) => `${role}: ${text}`)
}

export const conversation = [
  'user: When may I deploy the shop?',
  'assistant: On Tuesdays, as always.',
  'user: And which database does it use?',
  'assistant: SQLite, since the spring.',
  'user: What is left to do?',
  'assistant: Ask Ada about the gate.',
]

export const said = (id: string, role: string, text: string, more: object = {}): Message => ({
  info: { id, sessionID: 's1', role, time: { created: 1000 }, ...more },
  parts: [{ type: 'text', text }],
})

export async function prompt(hooks: Hooks, message: Message): Promise<void> {
  await hooks['chat.message']!({ sessionID: 's1' }, { message: message.info, parts: message.parts })
}
