// runs: alone

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { cliWorkspace, environmentOf, registeredPid, runCli, until } from '../helpers/cli.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { startFakeDaemon } from '../helpers/fake-daemon.js'
import { startHookServer } from '../helpers/hook-server.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'run.js')
const event = JSON.stringify({ session_id: 's-1', cwd: '/tmp', hook_event_name: 'SessionStart' })
const noStart = { SERVICE_NO_AUTOSTART: '1' }
/** A machine that runs tests may need a second to start a process. */
const unhurried = ['--timeout', '20000']
const prompt = ['hook', 'user-prompt-submit', '-H', 'claude-code', ...unhurried]
const compaction = ['hook', 'pre-compaction', '-H', 'claude-code', ...unhurried]
const end = ['hook', 'session-end', '-H', 'claude-code', ...unhurried]

const spoolOf = (t: ExecutionContext): string => join(cliWorkspace(t), '.daemon', 'hook-spool')

function kept(t: ExecutionContext): Record<string, string>[] {
  const folder = spoolOf(t)
  if (!existsSync(folder)) return []
  return readdirSync(folder).map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

test.serial('input and reply are passed on unchanged', async t => {
  const output = '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"größer"}}'
  const { seen } = await startHookServer(t, response => response.end(output))
  const { code, stdout, stderr } = await runCli(
    t,
    ['hook', 'session-start', '-H', 'claude-code', ...unhurried],
    {
      stdin: event,
      env: { SERVICE_API_KEY: 'svc_sk_x' },
    },
  )
  t.is(code, 0)
  t.is(stdout, output)
  t.is(stderr, '')
  t.is(seen[0]?.url, '/api/hooks/harness/claude-code/session-start')
  t.is(seen[0]?.headers.authorization, 'Bearer svc_sk_x')
  t.is(seen[0]?.body.toString(), event)
})

test.serial('the agent, another workspace and alias names are accepted', async t => {
  const { seen } = await startHookServer(t, response => response.end())
  const { code } = await runCli(
    t,
    ['hook', 'checkpoint', '--harness=codex', ...unhurried, '--agent', 'ann', '--workspace', cliWorkspace(t)],
    { stdin: event, env: { SERVICE_WORKSPACE: '/nowhere' } },
  )
  t.is(code, 0)
  t.is(seen[0]?.url, '/api/hooks/harness/codex/session-checkpoint-extract')
  t.is(seen[0]?.headers['x-service-agent-id'], 'ann')
})

test.serial('a note from the daemon is one line on stderr', async t => {
  await startHookServer(t, response =>
    response.setHeader('x-service-hook-note', 'the session is bypassed').end(),
  )
  const { code, stdout, stderr } = await runCli(t, prompt, { stdin: event })
  t.deepEqual([code, stdout], [0, ''])
  t.is(stderr, 'memory hook user-prompt-submit: the session is bypassed')
})

test.serial('a refusal by the daemon fails open: exit 0, no output, one line', async t => {
  await startHookServer(t, response => response.writeHead(401).end('{"error":"who are you","code":"x"}'))
  const { code, stdout, stderr } = await runCli(t, prompt, { stdin: event })
  t.deepEqual([code, stdout], [0, ''])
  t.is(stderr, 'memory hook user-prompt-submit: who are you')
})

test.serial('without a daemon a prompt continues: exit 0, no output, one line', async t => {
  const { code, stdout, stderr } = await runCli(t, prompt, { stdin: event, env: noStart })
  t.deepEqual([code, stdout], [0, ''])
  t.regex(stderr, /^memory hook user-prompt-submit: no daemon is running.*$/)
  t.deepEqual(kept(t), [])
})

for (const name of ['session-end', 'compaction-complete', 'checkpoint'])
  test.serial(`without a daemon ${name} is spooled in the workspace, private to its owner`, async t => {
    const { code, stdout } = await runCli(t, ['hook', name, '-H', 'gemini', ...unhurried, '--agent', 'ann'], {
      stdin: event,
      env: { ...noStart, SERVICE_API_KEY: 'svc_sk_0123456789abcdef' },
    })
    t.deepEqual([code, stdout], [0, ''])
    const [entry, ...more] = kept(t)
    t.is(more.length, 0)
    t.like(entry, { harness: 'gemini', agent: 'ann', input: event, credential: 'svc_sk_01234567' })
    t.is(entry?.hook, name === 'checkpoint' ? 'session-checkpoint-extract' : name)
    const [file = ''] = readdirSync(spoolOf(t))
    t.regex(file, /^[0-9a-f-]{36}\.json$/)
    t.is(statSync(join(spoolOf(t), file)).mode & 0o777, 0o600)
  })

test.serial('a hook whose time was over before it began says so', async t => {
  const { seen } = await startHookServer(t, () => undefined)
  const { code, stdout, stderr } = await runCli(t, [...prompt, '--timeout', '1'], { stdin: event })
  t.deepEqual([code, stdout], [0, ''])
  t.regex(
    stderr,
    /^memory hook user-prompt-submit: this machine is busy: its 1 ms were over before it began$/m,
  )
  t.is(seen.length, 0)
})

test.serial('a hanging daemon costs a hook its deadline at most', async t => {
  const { seen } = await startHookServer(t, () => undefined)
  const { code, stdout, stderr } = await runCli(t, [...prompt, '--timeout', '3000'], { stdin: event })
  t.deepEqual([code, stdout], [0, ''])
  // The rest of the deadline, which begins with the process.
  const [, waited] = /no answer from \S+ within (\d+) ms/u.exec(stderr) ?? []
  t.true(Number(waited) < 3000, stderr)
  t.is(seen.length, 1)
})

/** Daemons that would block a hook forever without its deadline. */
const unkind: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['that never answers', () => undefined],
  [
    'that answers byte by byte',
    response => {
      const timer = setInterval(() => response.write('x'), 5)
      response.once('close', () => clearInterval(timer))
    },
  ],
  [
    'that closes late',
    response => {
      const timer = setTimeout(() => response.destroy(), 60_000)
      response.once('close', () => clearTimeout(timer))
    },
  ],
]
for (const [what, answer] of unkind)
  test.serial(
    `a daemon ${what} costs the hook before a compaction its deadline at most (hook-commands.md)`,
    async t => {
      await startHookServer(t, answer)
      const { code, stdout } = await runCli(t, [...compaction, '--timeout', '2000'], { stdin: event })
      t.deepEqual([code, stdout], [0, ''])
    },
  )

test.serial('a starting daemon does not delay the hook before a compaction (hook-commands.md)', async t => {
  const folder = join(cliWorkspace(t), '.daemon')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'start.lock'), '')
  const { code, stderr } = await runCli(t, compaction, { stdin: event })
  t.is(code, 0)
  t.regex(stderr, /no daemon is running, it is starting/u)
})

test.serial(
  'a reader that never reads does not hold a hook beyond its deadline (hook-commands.md)',
  async t => {
    await startHookServer(t, response => response.end('x'.repeat(4_000_000)))
    const child = spawn(process.execPath, [bin, ...compaction, '--timeout', '2000'], {
      env: environmentOf(t),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.end(event)
    const [code] = await once(child, 'exit')
    t.is(code, 0)
  },
)

test.serial('Node’s own pending work does not hold a hook at its end (hook-commands.md)', async t => {
  await startHookServer(t, response => response.end('{}'))
  const folder = cliWorkspace(t)
  const stuck = join(folder, 'nobody-writes')
  await execa('mkfifo', [stuck])
  // Simulates a hanging DNS lookup, which blocks one of Node's threads.
  const preload = join(folder, 'stuck.cjs')
  writeFileSync(preload, `require('node:fs').open(${JSON.stringify(stuck)}, 'r', () => {})`)
  const { failed, signal, stdout } = await execa(
    process.execPath,
    ['--require', preload, bin, ...compaction],
    { env: environmentOf(t), extendEnv: false, input: event, reject: false },
  )
  t.true(failed)
  t.is(signal, 'SIGKILL')
  t.is(stdout, '{}')
})

test.serial('a hanging daemon loses no session end', async t => {
  await startHookServer(t, () => undefined)
  const { code } = await runCli(t, [...end, '--timeout', '10'], { stdin: event })
  t.is(code, 0)
  t.is(kept(t).length, 1)
})

test.serial('a session end is spooled, however long the hook took to start (hook-commands.md)', async t => {
  await startHookServer(t, () => undefined)
  // Simulates a busy machine: the deadline has passed before the hook begins.
  const preload = join(cliWorkspace(t), 'busy.cjs')
  writeFileSync(preload, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)')
  const { exitCode } = await execa(process.execPath, ['--require', preload, bin, ...end, '--timeout', '10'], {
    env: environmentOf(t),
    extendEnv: false,
    input: event,
    reject: false,
  })
  t.is(exitCode, 0)
  t.is(kept(t).length, 1)
})

test.serial('a daemon without this hook loses no session end', async t => {
  await startHookServer(t, response => response.writeHead(404).end('{"error":"there is no POST"}'))
  const { code, stderr } = await runCli(t, end, { stdin: event })
  t.is(code, 0)
  t.regex(stderr, /queued for later: there is no POST/)
  t.is(kept(t).length, 1)
})

test.serial('events refused by a remote daemon are not spooled for this workspace', async t => {
  const { url } = await startHookServer(t, response => response.writeHead(503).end('{}'), {
    registered: false,
  })
  const { code, stderr } = await runCli(t, end, { stdin: event, env: { SERVICE_DAEMON_URL: url } })
  t.is(code, 0)
  t.regex(stderr, /lost: the daemon answered 503/)
  t.deepEqual(kept(t), [])
})

for (const name of ['SERVICE_BYPASS', 'SERVICE_NO_HOOKS'])
  test.serial(`${name}=1 does not contact the daemon (rules.md 4.11)`, async t => {
    const { seen } = await startHookServer(t, response => response.end('x'))
    for (const words of [prompt, end, ['hook', 'nonsense']]) {
      const { code, stdout, stderr } = await runCli(t, words, { stdin: event, env: { [name]: '1' } })
      t.deepEqual([code, stdout, stderr], [0, '', ''])
    }
    t.is(seen.length, 0)
    t.deepEqual(kept(t), [])
  })

test.serial('invalid JSON is passed to the daemon to judge', async t => {
  const { seen } = await startHookServer(t, response => response.end())
  t.is((await runCli(t, prompt, { stdin: 'nonsense' })).code, 0)
  t.is(seen[0]?.body.toString(), 'nonsense')
})

test.serial('bytes that are not UTF-8 are passed on unchanged', async t => {
  const { seen } = await startHookServer(t, response => response.end())
  const bytes = Uint8Array.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])
  t.is((await runCli(t, prompt, { stdin: bytes })).code, 0)
  t.deepEqual(new Uint8Array(seen[0]?.body ?? []), bytes)
})

test.serial('input of more than 10 MiB is not sent', async t => {
  const { seen } = await startHookServer(t, response => response.end())
  const huge = ['hook', 'notifications', '-H', 'claude-code', ...unhurried]
  const { code, stdout, stderr } = await runCli(t, huge, { stdin: 'x'.repeat(10 * 1024 * 1024 + 1) })
  t.deepEqual([code, stdout], [0, ''])
  t.regex(stderr, /larger than 10485760 bytes/)
  t.is(seen.length, 0)
})

test.serial('without input nothing is sent', async t => {
  const { seen } = await startHookServer(t, response => response.end())
  const { code, stdout, stderr } = await runCli(t, prompt)
  t.deepEqual([code, stdout, stderr], [0, '', 'memory hook user-prompt-submit: no input'])
  t.is(seen.length, 0)
})

test.serial('unterminated input is sent once it is complete', async t => {
  const { seen } = await startHookServer(t, response => response.end('{"a":1}'))
  const child = execa(process.execPath, [bin, ...prompt], {
    env: environmentOf(t),
    extendEnv: false,
  })
  child.stdin.write(event)
  const { stdout } = await child
  t.is(stdout, '{"a":1}')
  t.is(seen[0]?.body.toString(), event)
})

for (const [what, words] of [
  ['an unknown hook', ['hook', 'sessionstart', '-H', 'codex']],
  ['no hook', ['hook', '-H', 'codex']],
  ['an unknown harness', ['hook', 'session-end', '-H', 'vim']],
  ['no harness', ['hook', 'session-end']],
  ['an unknown flag', ['hook', 'session-end', '-H', 'codex', '--loud']],
  ['an invalid deadline', ['hook', 'session-end', '-H', 'codex', '--timeout', 'soon']],
] as const)
  test.serial(`${what} shows the usage without failing the calling agent`, async t => {
    const { code, stdout, stderr } = await runCli(t, words, { stdin: event })
    t.deepEqual([code, stdout], [0, ''])
    t.regex(stderr, /usage: memory hook NAME -H HARNESS/)
  })

test.serial('memory hook --help is like that of every command', async t => {
  const { code, stdout } = await runCli(t, ['hook', '--help'])
  t.is(code, 0)
  t.regex(stdout, /SERVICE_PROMPT_SUBMIT_TIMEOUT/)
})

test.serial('a session start starts a daemon and is answered by it', async t => {
  const words = ['hook', 'session-start', '-H', 'claude-code', ...unhurried]
  const { code, stderr } = await runCli(t, words, { stdin: event })
  t.is(code, 0)
  t.notRegex(stderr, /no daemon/)
  t.truthy(registeredPid(cliWorkspace(t)))
})

test.serial('a prompt starts a daemon without waiting for it', async t => {
  const { code, stderr } = await runCli(t, prompt, { stdin: event })
  t.is(code, 0)
  t.regex(stderr, /starting it/)
  await until(() => registeredPid(cliWorkspace(t)) !== undefined, 'the daemon has registered')
})

test.serial('a session end without a daemon is captured once one runs (rules.md 4.10)', async t => {
  const sessionKey = '0198f3c2-7c11-7000-8000-00000000abcd'
  const transcript_path = join(temporaryFolder(t, 'memory-service-said'), `${sessionKey}.jsonl`)
  const line = { type: 'user', message: { role: 'user', content: 'the crane stops at noon' } }
  writeFileSync(transcript_path, `${JSON.stringify(line)}\n`)
  const input = { session_id: sessionKey, transcript_path, cwd: '/tmp', hook_event_name: 'SessionEnd' }
  await runCli(t, end, { stdin: JSON.stringify(input), env: noStart })
  t.is(kept(t).length, 1)
  const { url } = await spawnDaemon(t, cliWorkspace(t)).ready()
  await until(async () => {
    const reply = await fetch(`${url}/api/sessions/${sessionKey}/transcript`)
    return reply.ok && (await reply.text()).includes('the crane stops at noon')
  }, 'the transcript is captured')
  t.deepEqual(kept(t), [])
})

test.serial('a session start replaces a daemon of an older version in the background', async t => {
  const old = await startFakeDaemon(t, cliWorkspace(t), '0.0.1')
  const words = ['hook', 'session-start', '-H', 'claude-code', ...unhurried]
  t.is((await runCli(t, words, { stdin: event })).code, 0)
  await until(
    () => ![old, undefined].includes(registeredPid(cliWorkspace(t))),
    'another daemon has registered',
  )
})

test.serial('a prompt does not replace a daemon of an older version', async t => {
  const old = await startFakeDaemon(t, cliWorkspace(t), '0.0.1')
  const { stdout } = await runCli(t, prompt, { stdin: event })
  t.regex(stdout, /user-prompt-submit/)
  t.is(registeredPid(cliWorkspace(t)), old)
})

test.serial(
  'hooks with a byte order mark, as Cursor sends them on Windows, are delivered from the spool',
  async t => {
    const input = JSON.stringify({
      conversation_id: 'c-1',
      hook_event_name: 'sessionEnd',
      workspace_roots: ['/tmp'],
    })
    const stdin = `\uFEFF${input}`
    const { code } = await runCli(t, ['hook', 'session-end', '-H', 'cursor', ...unhurried], {
      stdin,
      env: noStart,
    })
    t.is(code, 0)
    t.like(kept(t), [{ input }])
    // A version before this one spooled the mark with the input.
    const older = { harness: 'cursor', hook: 'session-end', time: new Date().toISOString(), input: stdin }
    const id = '01900000-0000-7000-8000-000000000000'
    writeFileSync(join(spoolOf(t), `${id}.json`), JSON.stringify(older))
    t.is((await runCli(t, ['daemon', 'start'])).code, 0)
    await until(() => readdirSync(spoolOf(t)).every(name => !name.endsWith('.json')), 'the spool is empty')
    t.deepEqual(readdirSync(spoolOf(t)), [])
  },
)
