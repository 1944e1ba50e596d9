import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import type { ToolPermit } from '../../src/lib/files/tool-queue-files.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const root = join(import.meta.dirname, '..', '..')
const bin = join(root, 'bin', 'run.js')
const event = {
  session_id: 's 1/a',
  cwd: '/shop',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_response: { stdout: '12 passed', stderr: '' },
  tool_use_id: 'b1',
}

/** A workspace without a daemon, in which the session may be noted. */
function permitted(t: ExecutionContext) {
  const workspace = temporaryFolder(t, 'workspace')
  const folder = join(workspace, '.daemon', 'tool-uses')
  mkdirSync(folder, { recursive: true })
  const permit: ToolPermit = {
    agentId: 'default',
    sessionKey: event.session_id,
    harness: 'claude-code',
    cwds: ['/shop'],
    hasRules: true,
    full: false,
  }
  writeFileSync(join(folder, 's%201%2Fa.json'), JSON.stringify(permit))
  const file = join(folder, 's%201%2Fa.jsonl')
  const words = [bin, 'hook', 'tool-use', '-H', 'claude-code', '--workspace', workspace]
  return {
    lines: () =>
      (existsSync(file) ? readFileSync(file, 'utf8') : '')
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line)),
    run: (input: string, env: Record<string, string> = {}) =>
      execa(process.execPath, words, { input, env, reject: false }),
    start: () => execa(process.execPath, words, { reject: false, timeout: 20_000 }),
  }
}

test('the hook notes a use without a daemon, and prints nothing', async t => {
  const { run, lines } = permitted(t)
  const { stdout, stderr, exitCode } = await run(JSON.stringify(event))
  t.deepEqual([stdout, stderr, exitCode], ['', '', 0])
  const [use, ...more] = lines()
  t.deepEqual(more, [])
  t.like(use, { tool: 'Bash', id: 'b1', input: { command: 'npm test' }, output: '12 passed' })
})

test('forms of other agents are noted alike', async t => {
  const { run, lines } = permitted(t)
  const session = { sessionId: event.session_id, cwd: '/shop' }
  const failure = { resultType: 'failure', textResultForLlm: '1 failed <exited with exit code 1>' }
  const inputs: object[] = [
    { ...session, timestamp: 5, toolName: 'bash', toolArgs: '{"command":"go test"}', toolResult: failure },
    {
      conversation_id: event.session_id,
      workspace_roots: ['/shop'],
      hook_event_name: 'postToolUse',
      tool_name: 'Shell',
      tool_input: { command: 'make test' },
      tool_output: '{"exitCode":2,"stdout":"boom"}',
    },
    { ...event, hook_event_name: 'PostToolUseFailure', tool_response: undefined, error: 'Exit code 1' },
    {
      ...event,
      tool_name: 'apply_patch',
      tool_input: { command: `*** Begin Patch\n*** Update File: a.ts\n${'+x\n'.repeat(5000)}*** End Patch` },
      tool_response: 'Exit code: 0',
    },
    {
      ...event,
      tool_name: 'run_shell_command',
      tool_response: { llmContent: 'ok', error: { message: 'no' } },
    },
  ]
  for (const input of inputs) await run(JSON.stringify(input))
  const [copilot, cursor, claude, codex, gemini] = lines()
  t.like(copilot, { tool: 'bash', id: '@5', input: { command: 'go test' }, ok: false })
  t.like(cursor, { tool: 'Shell', output: 'boom', ok: false })
  t.like(claude, { output: 'Exit code 1', ok: false })
  t.deepEqual(codex.input.command.split('\n'), ['*** Begin Patch', '*** Update File: a.ts', '*** End Patch'])
  t.like(gemini, { ok: false, output: 'ok\nno' })
})

test('what is not permitted is not noted, and faulty input harms nothing', async t => {
  const { run, lines } = permitted(t)
  const inputs: [string, Record<string, string>?][] = [
    [JSON.stringify({ ...event, session_id: 'other' })],
    [JSON.stringify({ ...event, cwd: '/client' })],
    [JSON.stringify({ ...event, agent_id: 'sub' })],
    [JSON.stringify(event), { SERVICE_BYPASS: '1' }],
    ['{"session_id":'],
    [''],
    ['[]'],
  ]
  for (const [input, env] of inputs) {
    const { stdout, stderr, exitCode } = await run(input, env)
    t.deepEqual([stdout, stderr, exitCode], ['', '', 0], input)
  }
  t.deepEqual(lines(), [])
})

test('an agent that leaves the input open does not hold the hook, and outputs are cut', async t => {
  const { start, lines } = permitted(t)
  const hook = start()
  hook.stdin?.write(JSON.stringify({ ...event, tool_response: { stdout: 'x'.repeat(300_000) } }))
  t.is((await hook).exitCode, 0)
  t.true(lines()[0].output.length < 2100)
})

test('the script of the hook is small and loads no package', t => {
  const text = readFileSync(join(root, 'dist', 'tool-hook.cjs'), 'utf8')
  t.true(text.length < 12_000, `${text.length} bytes`)
  const loaded = [...text.matchAll(/require\("([^"]+)"\)/gu)].map(([, name]) => name)
  t.deepEqual([...new Set(loaded)].sort(), ['node:fs', 'node:os', 'node:path'])
})
