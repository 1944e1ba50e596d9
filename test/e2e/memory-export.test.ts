import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { temporaryWorkspace } from '../helpers/daemon.js'

test('export and import move a workspace to another one and back', async t => {
  await runCli(t, ['remember', 'we deploy on Fridays', '--tags', 'release', '--hint', 'when do we ship'])
  await runCli(t, ['remember', 'billing is in PostgreSQL'])
  const file = join(cliWorkspace(t), 'backup.jsonl')
  const out = await runCli(t, ['export', '--deleted', '--out', file])
  t.is(out.code, 0, out.stderr)
  t.regex(out.stdout, /^Exported 2 memories with 2 changes to .*backup\.jsonl \(/)
  t.is(statSync(file).mode & 0o777, 0o600)

  await runCli(t, ['daemon', 'stop'])
  const other = { env: { SERVICE_WORKSPACE: join(temporaryWorkspace(t), 'other') } }
  const dry = await runCli(t, ['import', file, '--dry-run'], other)
  t.regex(dry.stdout, /^Would import 2 memories with 2 changes$/m)
  const imported = await runCli(t, ['import', file], other)
  t.is(imported.code, 0, imported.stderr)
  t.regex(imported.stdout, /^Imported 2 memories with 2 changes$/m)
  const again = await runCli(t, ['import', '-', '--json'], { ...other, stdin: readFileSync(file, 'utf8') })
  t.like(again.json(), { imported: 0, skipped: 2, complete: true })
  const piped = await runCli(t, ['export', '--deleted'], other)
  const body = (text: string) => text.trim().split('\n').slice(1)
  t.deepEqual(body(piped.stdout), body(readFileSync(file, 'utf8')))
  t.is((await runCli(t, ['recall', 'when do we ship', '--json'], other)).json().count, 1)
  t.is((await runCli(t, ['daemon', 'stop'], other)).code, 0)
})

test('an export does not overwrite a file, and can be filtered', async t => {
  await runCli(t, ['remember', 'tagged', '--tags', 'a'])
  await runCli(t, ['remember', 'plain'])
  const file = join(cliWorkspace(t), 'part.jsonl')
  writeFileSync(file, 'precious')
  const refused = await runCli(t, ['export', '--out', file])
  t.is(refused.code, 4)
  t.is(readFileSync(file, 'utf8'), 'precious')
  const forced = await runCli(t, ['export', '--out', file, '--force', '--tags', 'a', '--json'])
  t.like(forced.json(), { file, memories: 1 })
  t.is((await runCli(t, ['export', '--json'])).code, 2)
})

test('a missing file, and the whole disk, are refused', async t => {
  for (const [path, told] of [
    ['/no/such/file', 'no such file or folder: /no/such/file'],
    ['/', '/ has far more than documents; name a folder in it'],
  ] as const) {
    const { code, stderr } = await runCli(t, ['import', path])
    t.deepEqual([code, stderr], [2, `error: ${told}`])
  }
})

test('invalid lines are skipped and listed by number, also in a dry run', async t => {
  const file = join(cliWorkspace(t), 'faulty.jsonl')
  const header = { kind: 'header', format: 'memory-service-export', version: 1 }
  const memory = (id: string, type: string) => ({
    ...{ kind: 'memory', id, content: id, type, importance: 0.5, created_at: '2026-01-01' },
  })
  const lines = [header, memory('a', 'fact'), memory('b', 'story'), memory('c', 'poem')]
  writeFileSync(file, lines.map(line => JSON.stringify(line)).join('\n'))
  const dry = await runCli(t, ['import', file, '--dry-run'])
  t.is(dry.code, 2)
  t.regex(dry.stdout, /line 3: type: [\s\S]*line 4: type: /)
  const imported = await runCli(t, ['import', file])
  t.is(imported.code, 2)
  t.regex(imported.stdout, /^Imported 1 memory[\s\S]*line 3: type: [\s\S]*line 4: type: /)
  t.is((await runCli(t, ['import', join(cliWorkspace(t), 'nowhere.jsonl')])).code, 2)
})
