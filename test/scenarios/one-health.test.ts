// runs: in turn

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { openRaw } from '../helpers/store.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const tracedTables = [
  'memories',
  'memory_history',
  'memory_holders',
  'jobs',
  'recall_sessions',
  'recalled_memories',
  'sessions',
  'session_events',
]

test('status, diagnostics, doctor, the API and /health show one figure, and count what waits for a person', async t => {
  const { call, paths, url } = await daemonHere(t)
  const run = (...args: string[]) => runHere(t, args)
  await run('remember', 'the harbour crane is red')
  t.is((await run('status', '--json')).json().health.score, 1)
  const broken = join(temporaryFolder(t, 'memory-health'), 'broken.pdf')
  writeFileSync(broken, Buffer.from([0, 1, 2, 255, 254, 0, 7]))
  await run('documents', 'add', broken)
  await run('messages', 'send', 'look at the release', '--to', 'default', '--agent', 'maya')
  const doctor = await run('doctor', '--json')
  t.is(doctor.code, 6)
  const { score, status, parts } = doctor.json().health
  t.like({ score, status }, { score: 0.79, status: 'degraded' })
  const report = (await run('diagnostics', '--json')).json()
  const alive = (await (await fetch(`${url}/health`)).json()) as { health: object }
  const { body } = await call('GET /api/status')
  for (const figure of [report.composite, report.health, body.health, alive.health])
    t.like(figure, { score, status, parts })
  for (const waiting of [doctor.json().waiting, report.health.waiting, body.health.waiting])
    t.like(waiting, { total: 1, items: [{ kind: 'message', text: '1 unread message to you' }] })
  for (const warning of body.health.warnings) t.truthy(warning.fix, warning.id)
  for (const command of ['status', 'diagnostics', 'doctor']) {
    const { stdout } = await run(command)
    t.regex(stdout, /79 %/u, command)
    t.regex(stdout, /1 of 1 document failed/u, command)
    t.regex(stdout, /fix: memory documents list --status failed/u, command)
    t.regex(stdout, /1 unread message to you: memory messages inbox --unread/u, command)
  }
  t.is(paths.root, cliWorkspace(t))
})

test('doctor tries a save and a recall, and leaves no row behind', async t => {
  const { paths } = await daemonHere(t)
  await runHere(t, ['remember', 'the harbour crane is red'])
  const raw = openRaw(t, paths.database)
  const rows = () => tracedTables.map(table => raw.prepare(`SELECT * FROM ${table}`).all())
  const before = rows()
  const { findings } = (await runHere(t, ['doctor', '--json'])).json()
  t.like(
    findings.find(({ id }: { id: string }) => id === 'round-trip'),
    { severity: 'ok' },
  )
  t.deepEqual(rows(), before)
})

test('imported conversations are never sources that failed', async t => {
  const file = join(temporaryFolder(t, 'memory-health'), 'export.json')
  writeFileSync(file, '[{"uuid":"a"}]')
  await runHere(t, ['import', 'transcripts', '--from', 'claude-export', file])
  const { findings } = (await runHere(t, ['doctor', '--json'])).json()
  const of = (id: string) => findings.find((one: { id: string }) => one.id === id)
  t.like(of('sources'), { severity: 'ok', evidence: '0 sources' })
  t.like(of('imports'), { evidence: '1 import' })
})
