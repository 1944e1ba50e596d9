import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { startDaemon, temporaryWorkspace } from '../helpers/daemon.js'

function exportsFolder(t: ExecutionContext): string {
  const folder = temporaryWorkspace(t)
  mkdirSync(join(folder, 'deep'))
  writeFileSync(join(folder, 'crane.md'), '# Cranes\n\nThe harbour crane lifts containers.')
  writeFileSync(join(folder, 'deep', 'quay.csv'), 'name,metres\nquay,400\n')
  return folder
}

test('files, folders and quoted patterns are imported; existing ones are skipped, and failures are listed in a table', async t => {
  const folder = exportsFolder(t)
  const all = await runHere(t, ['sources', 'import', folder, '--json'])
  t.is(all.code, 0)
  t.like(all.json(), { imported: 2, failed: 0 })
  writeFileSync(join(folder, 'deep', 'empty.csv'), '')
  const some = await runHere(t, ['sources', 'import', join(folder, '**', '*.csv')])
  t.is(some.code, 1)
  t.regex(some.stdout, /Imported {2}0 files; 1 already imported/u)
  t.regex(some.stdout, /1 failed\nFILE +REASON\n\S*empty\.csv +.*empty/u)
  const again = await runHere(t, ['sources', 'import', folder, '--duplicate-mode', 'reimport', '--json'])
  t.like(again.json(), { imported: 2, failed: 1 })
})

test('stdin needs a name; a URL or a missing file is refused', async t => {
  const named = await runHere(t, ['sources', 'import', '-', '--name', 'commits.txt', '--json'], {
    stdin: 'The crane was painted.',
  })
  t.like(named.json().files[0], { fileName: 'commits.txt', status: 'imported', path: '-' })
  t.is((await runHere(t, ['sources', 'import', '-'], { stdin: 'x' })).code, 2)
  t.is((await runHere(t, ['sources', 'import', 'https://example.org'])).code, 2)
  t.is((await runHere(t, ['sources', 'import', '/none.md'])).code, 2)
})

test('files are sent to a daemon on another machine', async t => {
  const daemon = await startDaemon(t)
  const { code, json } = await runCli(t, ['sources', 'import', exportsFolder(t), '--json'], {
    env: { SERVICE_DAEMON_URL: daemon.url },
  })
  t.is(code, 0)
  t.like(json(), { imported: 2, failed: 0 })
  const roots = (await daemon.call('GET /api/sources')).body.sources.map(({ root }) => root)
  t.deepEqual(roots.sort(), ['crane.md', 'quay.csv'])
})

test('a snapshot is written to a file or stdout, and imported after confirmation', async t => {
  const folder = exportsFolder(t)
  const { json } = await runHere(t, ['sources', 'import', join(folder, 'crane.md'), '--json'])
  const id = json().files[0].sourceId
  const out = join(folder, 'snapshot.json')
  const written = await runHere(t, ['sources', 'snapshot', 'export', id, '--out', out, '--json'])
  t.deepEqual(written.json(), { file: out, bytes: statSync(out).size })
  t.is(statSync(out).mode & 0o777, 0o600)
  t.is((await runHere(t, ['sources', 'snapshot', 'export', id, '--out', out])).code, 4)
  const snapshot = JSON.parse((await runHere(t, ['sources', 'snapshot', 'export', id])).stdout)
  t.deepEqual(snapshot.artifacts, JSON.parse(readFileSync(out, 'utf8')).artifacts)
  const nowhere = await runHere(t, ['sources', 'snapshot', 'export', id, '--json'])
  t.is(nowhere.code, 2)
  t.is(nowhere.json().code, 'validation_failed')
  t.is((await runHere(t, ['sources', 'snapshot', 'import', id, out])).code, 2)
  const taken = await runHere(t, ['sources', 'snapshot', 'import', id, out, '--yes'])
  t.regex(taken.stdout, /^Imported 1 artifact into /u)
  writeFileSync(out, 'no JSON')
  t.not((await runHere(t, ['sources', 'snapshot', 'import', id, out, '--yes'])).code, 0)
})
