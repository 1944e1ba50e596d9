// runs: alone

import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { type DaemonProcess, spawnDaemon, until } from '../helpers/daemon-process.js'

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'transcripts')
const claude = '5f0c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a11'
const copilot = '13529a4b-4e73-4bd7-827f-247b691a79a3'
const codex = '0193a1b2-aaaa-7bbb-8ccc-000000000001'

test.serial('sessions of Claude Code are imported once, with their time and project', async t => {
  const projects = join(cliWorkspace(t), '.claude', 'projects', '-home-ada-billing')
  mkdirSync(join(projects, claude, 'subagents'), { recursive: true })
  copyFileSync(join(fixtures, 'claude-code.jsonl'), join(projects, `${claude}.jsonl`))
  copyFileSync(join(fixtures, 'claude-code.jsonl'), join(projects, claude, 'subagents', 'agent-a1.jsonl'))
  copyFileSync(join(fixtures, 'claude-code.jsonl'), join(projects, 'agent-b2.jsonl'))
  writeFileSync(join(projects, 'opened-and-closed.jsonl'), '')
  const importThem = async (...flags: string[]) =>
    (await runCli(t, ['import', 'transcripts', '--from', 'claude-code', '--json', ...flags])).json()
  t.like(await importThem('--dry-run'), { dryRun: true, sessions: 1, imported: 1 })
  t.like(await importThem(), { dryRun: false, sessions: 1, imported: 1, unchanged: 0, failed: [] })
  t.like(await importThem(), { imported: 0, unchanged: 1 })
  t.like(await importThem('--all'), { imported: 0, duplicate: 1, unchanged: 0 })
  t.like(await importThem('--since', '2026-11-21'), { sessions: 0 })

  const transcript = (await runCli(t, ['sessions', 'transcript', claude, '--json'])).json()
  t.like(transcript, {
    project: '/home/ada/billing',
    harness: 'claude-code',
    capturedAt: '2026-11-20T09:00:13.000Z',
    messages: 5,
  })
  const found = (await runCli(t, ['sessions', 'search', 'rounding', 'invoice', '--json'])).json()
  t.is(found.hits[0].sessionKey, claude)
  const shown = await runCli(t, ['sessions', 'search', 'rounding'])
  t.regex(shown.stdout, /\/home\/ada\/billing {2}5f0c1f0e/)
  t.regex((await runCli(t, ['sessions', 'transcript', claude])).stdout, /^user: Why does the invoice/)

  appendFileSync(
    join(projects, `${claude}.jsonl`),
    `\n${JSON.stringify({ type: 'user', timestamp: '2026-11-22T09:00:00.000Z', message: { role: 'user', content: 'One more thing.' } })}\n`,
  )
  t.like(await importThem(), { imported: 1, unchanged: 0 })
  t.regex((await runCli(t, ['sessions', 'transcript', claude])).stdout, /One more thing\.\s*$/)
})

test.serial('importing again corrects a session that an earlier version misread', async t => {
  const workspace = cliWorkspace(t)
  const projects = join(workspace, '.claude', 'projects', '-home-ada-billing')
  mkdirSync(projects, { recursive: true })
  copyFileSync(join(fixtures, 'claude-code.jsonl'), join(projects, `${claude}.jsonl`))
  const daemon = spawnDaemon(t, workspace)
  const { url } = await daemon.ready()
  const first = 'user: Why does the invoice total differ by one cent?'
  const asItWasRead = `${first}\nuser: A note for the model alone\n${first}\nuser: Tool loaded.\nassistant: I look at the rounding first.`
  await post(url, '/api/hooks/session-end', {
    harness: 'claude-code',
    sessionKey: claude,
    cwd: '/home/ada/billing',
    transcript: asItWasRead,
  })
  const importThem = async () =>
    (await runCli(t, ['import', 'transcripts', '--from', 'claude-code', '--json'])).json()
  t.like(await importThem(), { sessions: 1, imported: 1, unchanged: 0, failed: [] })
  t.like(await importThem(), { imported: 0, unchanged: 1 })
  const { content, messages } = await get(url, `/api/sessions/${claude}/transcript`)
  t.is(messages, 5)
  t.notRegex(content, /A note for the model|Tool loaded/)
  t.is((await post(url, '/api/sessions/search', { query: 'tool loaded' })).hits.length, 0)
})

test.serial('sessions of Codex are imported, archived ones too, and invalid files fail by name', async t => {
  const home = join(cliWorkspace(t), '.codex')
  const day = join(home, 'sessions', '2026', '11', '20')
  mkdirSync(day, { recursive: true })
  mkdirSync(join(home, 'archived_sessions'))
  copyFileSync(join(fixtures, 'codex-rollout.jsonl'), join(day, `rollout-2026-11-20T10-00-00-${codex}.jsonl`))
  copyFileSync(
    join(fixtures, 'codex-events-only.jsonl'),
    join(home, 'archived_sessions', 'rollout-old.jsonl'),
  )
  writeFileSync(join(day, 'rollout-broken.jsonl'), 'not a rollout\n')
  const result = await runCli(t, ['import', 'transcripts', '--from', 'codex', '--project', 'api', '--json'])
  t.is(result.code, 1)
  const { imported, failed } = result.json()
  t.is(imported, 2)
  t.is(failed.length, 1)
  t.regex(failed[0].path, /rollout-broken/)
  t.like((await runCli(t, ['sessions', 'transcript', codex, '--json'])).json(), {
    project: 'api',
    messages: 4,
  })
})

test.serial('sessions of Copilot CLI are imported without the files beside their logs', async t => {
  const session = join(cliWorkspace(t), '.copilot', 'session-state', copilot)
  mkdirSync(join(session, 'files'), { recursive: true })
  copyFileSync(join(fixtures, 'copilot.jsonl'), join(session, 'events.jsonl'))
  writeFileSync(join(session, 'files', 'rows.jsonl'), '{"role":"user","content":"a row of data"}\n')
  const imported = await runCli(t, ['import', 'transcripts', '--from', 'copilot', '--json'])
  t.like(imported.json(), { sessions: 1, imported: 1, failed: [] })
  const { content, ...transcript } = (await runCli(t, ['sessions', 'transcript', copilot, '--json'])).json()
  t.like(transcript, {
    project: '/home/ada/billing',
    harness: 'copilot',
    capturedAt: '2026-11-22T14:42:45.959Z',
    messages: 4,
  })
  t.regex(content, /^user: Why is the invoice.*off by one cent/)
  t.notRegex(content, /system_reminder|sub-agent|SELECT/)
  const wrong = await runCli(t, ['import', 'transcripts', '--from', 'claude-code', session])
  t.regex(wrong.stderr, /sessions of copilot, not of claude-code/)
})

test.serial(
  'sessions of another agent than the given one are refused by name, and nothing is imported',
  async t => {
    const folder = join(cliWorkspace(t), 'backup')
    mkdirSync(folder)
    copyFileSync(join(fixtures, 'claude-code.jsonl'), join(folder, `${claude}.jsonl`))
    copyFileSync(join(fixtures, 'codex-rollout.jsonl'), join(folder, `rollout-${codex}.jsonl`))
    const mixed = await runCli(t, ['import', 'transcripts', '--from', 'codex', folder])
    t.is(mixed.code, 2)
    t.regex(mixed.stderr, /1 of these 2 are sessions of claude-code, not of codex: .*5f0c1f0e/)
    const wrong = await runCli(t, [
      'import',
      'transcripts',
      '--from',
      'claude',
      join(folder, `rollout-${codex}.jsonl`),
    ])
    t.is(wrong.code, 2)
    t.regex(wrong.stderr, /These are sessions of codex, not of claude-code/)
    t.regex(wrong.stderr, /--from codex/)
    t.is((await runCli(t, ['sessions', 'transcript', codex])).code, 3)
  },
)

test.serial('an unused agent, a missing path and a wrong agent have different errors', async t => {
  const none = await runCli(t, ['import', 'transcripts', '--from', 'codex'])
  t.is(none.code, 0)
  t.regex(none.stdout, /Imported 0 sessions/)
  t.is((await runCli(t, ['import', 'transcripts', '--from', 'codex', '/nowhere'])).code, 2)
  t.is((await runCli(t, ['import', 'transcripts', '--from', 'emacs'])).code, 2)
  t.is((await runCli(t, ['sessions', 'transcript', 'unknown'])).code, 3)
})

test.serial('kill -9 during captures loses and duplicates nothing that was acknowledged', async t => {
  const workspace = temporaryWorkspace(t)
  writeFileSync(join(workspace, 'agent.yaml'), 'embedding:\n  provider: none\n')
  const sessions = Array.from({ length: 6 }, (_, n) => `s${n}`)
  const text = (key: string) =>
    Array.from(
      { length: 400 },
      (_, n) => `${n % 2 ? 'assistant' : 'user'}: ${key} says ${n} of the pump ${'and so on '.repeat(30)}`,
    )
  const acknowledged: string[] = []
  for (const key of sessions) {
    const daemon = spawnDaemon(t, workspace)
    const { url } = await daemon.ready()
    const reply = await post(url, '/api/hooks/session-end', {
      harness: 'codex',
      sessionKey: key,
      transcript: text(key).join('\n'),
    })
    acknowledged.push(reply.transcriptCaptureJobId)
    await killSoon(daemon, Number(key.slice(1)) * 40)
  }
  const { url } = await spawnDaemon(t, workspace).ready()
  for (const id of acknowledged)
    await until(
      async () => (await get(url, `/api/hooks/transcript-capture/${id}`)).status === 'completed',
      60_000,
    )
  for (const key of sessions) {
    const { content, messages } = await get(url, `/api/sessions/${key}/transcript`)
    t.is(messages, 400, key)
    t.is(content, text(key).join('\n\n'))
  }
  const { hits } = await post(url, '/api/sessions/search', { query: 'pump', limit: 20 })
  t.is(hits.length, sessions.length)
  t.deepEqual(readdirSync(join(workspace, '.daemon', 'captures')), [])
  t.is(recordLines(workspace), 400 * sessions.length)
})

async function killSoon({ child, exited }: DaemonProcess, ms: number): Promise<void> {
  // The progress of a capture at that moment depends on the machine; every moment must work.
  setTimeout(() => child.kill('SIGKILL'), ms)
  await exited
}

function recordLines(workspace: string): number {
  const file = join(workspace, 'memory', 'codex', 'transcripts', 'transcript.jsonl')
  const keys = readFileSync(file, 'utf8').trim().split('\n')
  return new Set(keys.map(line => `${JSON.parse(line).sessionKey} ${JSON.parse(line).position}`)).size ===
    keys.length
    ? keys.length
    : -1
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into replies of several routes
async function post(url: string, path: string, body: object): Promise<any> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.json()
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into replies of several routes
async function get(url: string, path: string): Promise<any> {
  return (await fetch(url + path)).json()
}
