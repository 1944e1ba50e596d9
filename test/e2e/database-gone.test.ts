import { copyFileSync, renameSync, rmSync } from 'node:fs'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace, runCli, until } from '../helpers/cli.js'

/** Windows cannot remove or move an open file. */
const whereFilesCanGo = process.platform === 'win32' ? test.skip : test

whereFilesCanGo('a moved database refuses saves until it is back (disk.md)', async t => {
  const { database } = workspacePaths(cliWorkspace(t))
  await runCli(t, ['remember', 'the harbour crane is red'])
  renameSync(database, `${database}.away`)
  const refused = await runCli(t, ['remember', 'nothing can be saved now'])
  t.is(refused.code, 1)
  t.regex(
    refused.stderr,
    /the database file was removed or moved away: nothing was changed; move it back, or save/u,
  )
  t.regex((await runCli(t, ['recall', 'crane'])).stdout, /harbour crane/u)
  const { findings } = (await runCli(t, ['doctor', '--json'])).json()
  const of = (id: string) => findings.find((finding: { id: string }) => finding.id === id)
  t.like(of('database-file'), { severity: 'error', fix: 'memory status' })
  t.regex(of('database').fix, /^move it back/u)
  t.regex(of('round-trip').evidence, /the database file was removed or moved away/u)
  renameSync(`${database}.away`, database)
  await until(async () => (await runCli(t, ['remember', 'back again'])).code === 0, 'a save')
  await runCli(t, ['daemon', 'restart'])
  t.is((await runCli(t, ['list', '--json'])).json().memories.length, 2)
})

whereFilesCanGo('the rest of a deleted database can be exported, and no save is acknowledged', async t => {
  const workspace = cliWorkspace(t)
  const { database } = workspacePaths(workspace)
  await runCli(t, ['remember', 'the harbour crane is red'])
  copyFileSync(database, `${database}.other`)
  rmSync(database)
  t.is((await runCli(t, ['remember', 'lost'])).code, 1)
  t.regex(
    (await runCli(t, ['status'])).stdout,
    /the database file was removed or moved away; memories can be read but not saved; move it back, or save/u,
  )
  // A different file at that path changes nothing.
  renameSync(`${database}.other`, database)
  t.is((await runCli(t, ['remember', 'lost'])).code, 1)
  rmSync(database)
  const out = `${workspace}/memories.jsonl`
  t.is((await runCli(t, ['export', '--deleted', '--out', out])).code, 0)
  t.is((await runCli(t, ['daemon', 'restart'])).code, 0)
  t.is((await runCli(t, ['import', out])).code, 0)
  t.regex((await runCli(t, ['recall', 'crane'])).stdout, /harbour crane/u)
})
