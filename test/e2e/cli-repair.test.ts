import test from 'ava'
import { workspacePaths } from '../../src/lib/paths.js'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { openRaw } from '../helpers/store.js'

test('memory repair lists what there is, shows before it changes, and goes on until all is done (operations.md 5.7)', async t => {
  const kept = (await runCli(t, ['remember', 'the harbour crane is red', '--json'])).json().id as string
  const listed = await runCli(t, ['repair'])
  t.is(listed.code, 0, listed.stderr)
  t.regex(
    listed.stdout,
    /^clean-orphans +vectors and other rows whose owner is gone are deleted\n +never ran$/mu,
  )
  t.regex(listed.stdout, /^dedup-stats +how many memories may be duplicates\n +only counts$/mu)
  const raw = openRaw(t, workspacePaths(cliWorkspace(t)).database)
  raw.pragma('foreign_keys = OFF')
  for (let n = 0; n < 6000; n++) raw.prepare("INSERT INTO memory_hints VALUES (?, 0, 'h')").run(`gone ${n}`)
  const dry = await runCli(t, ['repair', 'clean-orphans', '--dry-run'])
  t.regex(dry.stdout, /^6000 orphaned rows would be deleted$/mu)
  const unasked = await runCli(t, ['repair', 'clean-orphans'])
  t.is(unasked.code, 2)
  t.regex(unasked.stderr, /--yes/)
  const done = (await runCli(t, ['repair', 'clean-orphans', '--yes', '--json'])).json()
  t.like(done, { name: 'clean-orphans', affected: 6000, calls: 2, reply: { status: 'complete' } })
  t.is(raw.prepare('SELECT count(*) FROM memory_hints').pluck().get(), 0)
  t.regex(
    (await runCli(t, ['repair', 'dedup-stats'])).stdout,
    /^0 memories of 1 have the text of another one$/mu,
  )
  t.regex(
    (await runCli(t, ['repair', 'check-fts', '--yes'])).stdout,
    /^✓ the index holds 1 memory as they are$/mu,
  )
  t.regex((await runCli(t, ['repair'])).stdout, /done, \d+ affected/)
  t.like((await runCli(t, ['get', kept, '--json'])).json(), { id: kept })
  const unknown = await runCli(t, ['repair', 'everything'])
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /clean-orphans/)
})
