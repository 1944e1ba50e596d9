import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'

const rule = 'Deploys to production need a second reviewer.'
const request = 'why does the payment retry queue stall every night'
const finding = 'The retry queue stalls because its lease outlives the nightly restart.'
const summary =
  'We found that the lease of the retry queue outlives the nightly restart, and made it 30 seconds.'
const prompts = [
  request,
  'show me where leases are taken',
  'what else runs at night',
  'write a test for it',
  'make the lease shorter than the restart',
  'run the tests',
  'is there another place like it',
  'change it there too',
  'explain the change in two sentences',
  'now the documentation of the queue',
]

interface Session {
  key: string
  /** The agent's own transcript file. */
  file: string
}

/** One agent's hooks during a day: their input, and their output for the model. */
interface AgentHooks {
  start(session: Session, source: string): Promise<string>
  prompt(session: Session, prompt: string): Promise<string>
  /** Absent for agents that cannot report the summary of a compaction. */
  compact?(session: Session): Promise<void>
  /** True if text can be added again after a compaction. */
  restarts: boolean
  write(session: Session, role: 'user' | 'assistant', text: string): void
  answered(session: Session, answer: string): Promise<void>
  end(session: Session): Promise<void>
}

/** Runs one hook command with native input. @returns its output */
type Hook = (name: string, input: object) => Promise<string>

test.serial('a day of Claude Code', t =>
  liveThrough(t, 'claude-code', (hook, cwd) => {
    const fields = ({ key, file }: Session, hook_event_name: string) => ({
      session_id: key,
      transcript_path: file,
      cwd,
      hook_event_name,
    })
    return {
      ...snakeCase(hook, fields, 'UserPromptSubmit', 'Stop'),
      restarts: true,
      compact: async session => {
        const before = fields(session, 'PreCompact')
        t.true((await hook('pre-compaction', { ...before, trigger: 'auto' })).length > 100)
        const after = fields(session, 'PostCompact')
        t.is(await hook('compaction-complete', { ...after, compact_summary: summary }), '')
      },
      write: ({ file }, type, content) => append(file, { type, message: { role: type, content } }),
    }
  }),
)

test.serial('a day of Codex', t =>
  liveThrough(t, 'codex', (hook, cwd) => {
    const fields = ({ key, file }: Session, hook_event_name: string) => ({
      session_id: key,
      transcript_path: file,
      cwd,
      hook_event_name,
      model: 'm',
    })
    return {
      ...snakeCase(hook, fields, 'UserPromptSubmit', 'Stop'),
      restarts: true,
      compact: async session => {
        t.is(await hook('pre-compaction', fields(session, 'PreCompact')), '')
        append(session.file, { type: 'compacted', payload: { message: summary } })
        t.is(await hook('compaction-complete', fields(session, 'PostCompact')), '')
      },
      write: ({ file }, role, text) => {
        const type = role === 'user' ? 'input_text' : 'output_text'
        append(file, {
          type: 'response_item',
          payload: { type: 'message', role, content: [{ type, text }] },
        })
      },
    }
  }),
)

test.serial('a day of Gemini CLI', t =>
  liveThrough(t, 'gemini', (hook, cwd) => {
    const said: object[] = []
    const fields = ({ key, file }: Session, hook_event_name: string) => ({
      session_id: key,
      transcript_path: file,
      cwd,
      hook_event_name,
      timestamp: new Date().toISOString(),
    })
    const voice = snakeCase(hook, fields, 'BeforeAgent', 'AfterAgent')
    return {
      ...voice,
      start: async (session, source) => {
        t.is(await voice.start(session, source), '', 'the context comes with the first prompt')
        return voice.prompt(session, 'hello')
      },
      restarts: false,
      write: ({ key, file }, role, content) => {
        said.push({ id: String(said.length), type: role === 'user' ? 'user' : 'gemini', content })
        writeFileSync(file, JSON.stringify({ sessionId: key, messages: said }))
      },
    }
  }),
)

test.serial('a day of Cursor', t =>
  liveThrough(t, 'cursor', (hook, cwd) => {
    // It changes with every prompt.
    const generation = { number: 0 }
    const fields = ({ key, file }: Session, hook_event_name: string) => ({
      conversation_id: key,
      generation_id: `g${generation.number}`,
      transcript_path: file,
      workspace_roots: [cwd],
      hook_event_name,
    })
    const contextOf = (output: string): string => (output ? JSON.parse(output).additional_context : '')
    return {
      restarts: false,
      start: async session => contextOf(await hook('session-start', fields(session, 'sessionStart'))),
      prompt: async (session, prompt) => {
        generation.number++
        return contextOf(
          await hook('user-prompt-submit', { ...fields(session, 'beforeSubmitPrompt'), prompt }),
        )
      },
      write: ({ file }, role, text) => append(file, { role, text }),
      answered: async session => {
        t.is(await hook('checkpoint', fields(session, 'stop')), '')
      },
      end: async session => {
        t.is(await hook('session-end', { ...fields(session, 'sessionEnd'), reason: 'completed' }), '')
      },
    }
  }),
)

test.serial('a day of OpenCode, whose plugin sends API bodies', async t => {
  const daemon = await spawnDaemon(t, cliWorkspace(t)).ready()
  const cwd = projectFolder(t)
  const said: object[] = []
  const post = async (name: string, { key }: Session, fields: object = {}) => {
    const reply = await fetch(`${daemon.url}/api/hooks/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ harness: 'opencode', sessionKey: key, runtimePath: 'plugin', cwd, ...fields }),
    })
    t.is(reply.status, 200)
    return (await reply.json()) as Record<string, string>
  }
  await live(t, daemon.url, {
    restarts: false,
    start: async session => (await post('session-start', session)).inject ?? '',
    prompt: async (session, userMessage) => {
      const { clockContext, inject } = await post('user-prompt-submit', session, { userMessage })
      return [clockContext, inject].filter(Boolean).join('\n\n')
    },
    compact: async session => {
      await post('pre-compaction', session)
      await post('compaction-complete', session, { summary })
    },
    write: (_session, role, text) => void said.push({ role, text }),
    answered: async session => void (await post('session-checkpoint-extract', session, { transcript: said })),
    end: async session =>
      void (await post('session-end', session, { transcript: said, reason: 'session.deleted' })),
  })
})

/** The common part of Claude Code, Codex and Gemini CLI. */
function snakeCase(
  hook: Hook,
  fields: (session: Session, event: string) => object,
  promptEvent: string,
  answerEvent: string,
): Pick<AgentHooks, 'start' | 'prompt' | 'answered' | 'end'> {
  const contextOf = (output: string, event: string): string => {
    if (output === '') return ''
    const { hookSpecificOutput } = JSON.parse(output)
    if (hookSpecificOutput.hookEventName !== event) throw new Error(`a reply to another event: ${output}`)
    return hookSpecificOutput.additionalContext
  }
  return {
    start: async (session, source) =>
      contextOf(await hook('session-start', { ...fields(session, 'SessionStart'), source }), 'SessionStart'),
    prompt: async (session, prompt) =>
      contextOf(await hook('user-prompt-submit', { ...fields(session, promptEvent), prompt }), promptEvent),
    answered: async (session, last_assistant_message) => {
      await hook('checkpoint', { ...fields(session, answerEvent), last_assistant_message })
    },
    end: async session => {
      await hook('session-end', { ...fields(session, 'SessionEnd'), reason: 'other' })
    },
  }
}

async function liveThrough(
  t: ExecutionContext,
  harness: string,
  voiceOf: (hook: Hook, cwd: string) => AgentHooks,
): Promise<void> {
  const { url } = await spawnDaemon(t, cliWorkspace(t)).ready()
  const hook: Hook = async (name, input) => {
    const words = ['hook', name, '-H', harness, '--timeout', '20000']
    const { code, stdout, stderr } = await runCli(t, words, { stdin: JSON.stringify(input) })
    t.deepEqual([code, stderr], [0, ''], name)
    return stdout
  }
  await live(t, url, voiceOf(hook, projectFolder(t)))
}

/** One day: a session with a compaction in it, and the start of the next. */
async function live(t: ExecutionContext, url: string, voice: AgentHooks): Promise<void> {
  await remember(url, rule)
  const first = sessionIn(t, '0198f3c2-7c11-7000-8000-00000000aaaa')
  const opening = await voice.start(first, 'startup')
  t.is(occurrences(opening, rule), 1)
  const contexts = [opening]
  for (const prompt of prompts) contexts.push(await exchange(t, voice, first, prompt))
  t.regex(contexts.join('\n'), /UTC|[+-]\d\d:\d\d/, 'the time comes with the session')
  if (voice.compact) await voice.compact(first)
  if (voice.restarts) {
    const again = await voice.start(first, 'compact')
    t.is(occurrences(again, rule), 1, 'the context returns after a compaction')
    t.is(occurrences(again, summary), 0, 'the agent already has its own summary')
    t.true(again.length <= 10_000)
  }
  for (const prompt of ['go on', 'what did we decide about the lease'])
    await exchange(t, voice, first, prompt)
  await voice.end(first)
  await until(() => isCaptured(url, first.key))

  const second = sessionIn(t, '0198f3c3-7c11-7000-8000-00000000bbbb')
  const next = await voice.start(second, 'startup')
  t.true(next.length <= 10_000)
  t.is(occurrences(next, rule), 1)
  t.is(occurrences(next, request), 1, 'the request of the last session')
  if (voice.compact) t.is(occurrences(next, summary), 1, 'the summary of its compaction')
  t.is(repeatedLines(next).join('\n'), '')
  const prompted = await voice.prompt(second, 'what was that about the retry queue')
  t.is(occurrences(prompted, rule), 0, 'nothing is repeated')
}

/** A prompt with its answer; with the prompt the model receives nothing that it already has. */
async function exchange(
  t: ExecutionContext,
  voice: AgentHooks,
  session: Session,
  prompt: string,
): Promise<string> {
  const context = await voice.prompt(session, prompt)
  t.is(occurrences(context, rule), 0, 'nothing is repeated')
  voice.write(session, 'user', prompt)
  voice.write(session, 'assistant', finding)
  await voice.answered(session, finding)
  return context
}

async function remember(url: string, content: string): Promise<void> {
  await fetch(`${url}/api/memory/remember`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content, pinned: true }),
  })
}

async function isCaptured(url: string, key: string): Promise<true | undefined> {
  const reply = await fetch(`${url}/api/sessions/${key}/transcript`)
  const text = await reply.text()
  return reply.ok && text.includes('what did we decide') ? true : undefined
}

function projectFolder(t: ExecutionContext): string {
  const folder = join(cliWorkspace(t), 'work', 'payments')
  mkdirSync(folder, { recursive: true })
  return folder
}

function sessionIn(t: ExecutionContext, key: string): Session {
  const folder = join(cliWorkspace(t), 'sessions')
  mkdirSync(folder, { recursive: true })
  return { key, file: join(folder, `session-${key}.jsonl`) }
}

function append(file: string, line: object): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1
}

/** Records that occur in a text more than once. */
function repeatedLines(text: string): string[] {
  const lines = text.split('\n').filter(line => line.length > 40)
  return lines.filter((line, at) => lines.indexOf(line) !== at)
}
