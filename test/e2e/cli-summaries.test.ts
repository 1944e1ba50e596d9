import { existsSync, readFileSync } from 'node:fs'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, until } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

test('black boxes, summaries and MEMORY.md are shown and written by the CLI', async t => {
  const nothing = await runHere(t, ['sessions', 'blackbox'])
  t.is(nothing.code, 0)
  t.regex(nothing.stderr, /No recorded sessions/)
  t.regex((await runHere(t, ['sessions', 'summaries'])).stderr, /No summaries yet/)
  const { registration, summary } = workspacePaths(cliWorkspace(t))
  const { port } = readRegistration(registration)!
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/api/hooks/compaction-complete', {
    harness: 'codex',
    sessionKey: 'a/b',
    summary: 'we moved the server',
    cwd: '/',
  })
  const [row] = (await runHere(t, ['sessions', 'blackbox'])).stdout.split('\n')
  t.regex(row!, /^a\/b\t0\t1\t\d{4}-\S+\t\/$/)
  t.regex(
    (await runHere(t, ['sessions', 'blackbox', 'session:a/b'])).stdout,
    /artifact\.written {2}compaction summary saved/,
  )
  await post('/api/hooks/session-start', { harness: 'codex', sessionKey: 'next', cwd: '/' })
  await post('/api/memory/recall', { query: 'server', sessionKey: 'next' })
  const told = (await runHere(t, ['sessions', 'blackbox', 'next'])).stdout
  t.regex(
    told,
    /context\.recalled {2}0 memories at session start {2}\d+ tokens\n {2}summary {2}\S+ {2}same project\n/,
  )
  t.regex(told, /\n {2}memory {2}\S+ {2}[a-z +]+ \d\.\d\d {2}we moved the server\n/)
  const unknown = await runHere(t, ['sessions', 'blackbox', 'nobody'])
  t.not(unknown.code, 0)
  t.regex(unknown.stderr, /nobody/)
  const [id, kind] = (await runHere(t, ['sessions', 'summaries'])).stdout.split('\t')
  t.is(kind, 'compaction')
  const shown = await runHere(t, ['sessions', 'summaries', id!, '--transcript'])
  t.regex(shown.stdout, /we moved the server[\s\S]*memories/)
  t.is((await runHere(t, ['sessions', 'summaries', id!, '--json'])).json().node.id, id)
  t.regex(
    (await runHere(t, ['synthesis', 'show'])).stdout,
    /## Global Head \(Tier 1\)[\s\S]*we moved the server/,
  )
  const queued = (await runHere(t, ['synthesis', 'trigger', '--json'])).json()
  t.is(queued.status, 'queued')
  await until(() => existsSync(summary), 'MEMORY.md is there')
  t.regex(readFileSync(summary, 'utf8'), /we moved the server/)
})
