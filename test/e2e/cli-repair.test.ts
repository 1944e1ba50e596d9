import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { openRaw } from '../helpers/store.js'

test('memory repair lists repairs, previews changes, and continues until all is done (operations.md 5.7)', async t => {
  const kept = (await runHere(t, ['remember', 'the harbour crane is red', '--json'])).json().id as string
  const listed = await runHere(t, ['repair'])
  t.is(listed.code, 0, listed.stderr)
  t.regex(listed.stdout, /^clean-orphans +delete vectors and other rows without an owner\n +not run yet$/mu)
  t.regex(listed.stdout, /^dedup-stats +count possible duplicates\n +report only$/mu)
  const raw = openRaw(t, workspacePaths(cliWorkspace(t)).database)
  raw.pragma('foreign_keys = OFF')
  for (let n = 0; n < 6000; n++) raw.prepare("INSERT INTO memory_hints VALUES (?, 0, 'h')").run(`gone ${n}`)
  const dry = await runHere(t, ['repair', 'clean-orphans', '--dry-run'])
  t.regex(dry.stdout, /^6000 orphaned rows would be deleted$/mu)
  const unasked = await runHere(t, ['repair', 'clean-orphans'])
  t.is(unasked.code, 2)
  t.regex(unasked.stderr, /--yes/)
  const done = (await runHere(t, ['repair', 'clean-orphans', '--yes', '--json'])).json()
  t.like(done, { name: 'clean-orphans', affected: 6000, calls: 2, reply: { status: 'complete' } })
  t.is(raw.prepare('SELECT count(*) FROM memory_hints').pluck().get(), 0)
  t.regex(
    (await runHere(t, ['repair', 'dedup-stats'])).stdout,
    /^0 memories of 1 have the same text as another one$/mu,
  )
  t.regex((await runHere(t, ['repair', 'check-fts', '--yes'])).stdout, /^✓ the index matches 1 memory$/mu)
  t.regex((await runHere(t, ['repair'])).stdout, /done, \d+ affected/)
  t.like((await runHere(t, ['get', kept, '--json'])).json(), { id: kept })
  const unknown = await runHere(t, ['repair', 'everything'])
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /clean-orphans/)
})
