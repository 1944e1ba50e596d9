import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'

test('memory backup creates, lists, verifies, restores and undoes a restore (operations.md 4.5)', async t => {
  const run = async (...args: string[]) => runCli(t, args)
  await run('remember', 'the harbour crane is red')
  const made = await run('backup', 'create', '--json')
  t.is(made.code, 0, made.stderr)
  const { id, memories } = made.json()
  t.is(memories, 1)
  await run('remember', 'the harbour crane is blue')
  t.regex((await run('backup', 'list')).stdout, new RegExp(id, 'u'))
  t.regex((await run('backup', 'verify')).stdout, /is intact/)
  const plan = await run('backup', 'restore', id, '--dry-run')
  t.regex(plan.stdout, /2 memories now, 1 in the backup/)
  const asked = await run('backup', 'restore', id)
  t.is(asked.code, 2)
  t.regex(asked.stderr, /--yes/)
  const restored = await run('backup', 'restore', id, '--yes')
  t.is(restored.code, 0, restored.stderr)
  t.is((await run('status', '--json')).json().memories, 1)
  t.is((await run('backup', 'undo', '--yes')).code, 0)
  t.is((await run('status', '--json')).json().memories, 2)
  t.is((await run('backup', 'restore', 'backup-20260101-000000-aaaaaa', '--yes')).code, 3)
  const unknown = await run('backup', 'verify', 'nothing')
  t.is(unknown.code, 3)
  t.regex(unknown.stderr, /"nothing" is not a backup[\s\S]*memory backup list/u)
  const gone = await run('backup', 'restore', '/nowhere/x.tar.gz', '--dry-run')
  t.regex(gone.stderr, /the archive cannot be used: the file does not exist/u)
})

test('a workspace with a damaged database can be restored (operations.md 4.5)', async t => {
  const workspace = cliWorkspace(t)
  await runCli(t, ['remember', 'the harbour crane is red'])
  const { id } = (await runCli(t, ['backup', 'create', '--json'])).json()
  await runCli(t, ['daemon', 'stop'])
  writeFileSync(join(workspace, 'memory', 'memories.db'), 'no database at all '.repeat(1000))
  t.not((await runCli(t, ['status', '--json'], { env: { SERVICE_NO_AUTOSTART: undefined } })).code, 0)
  const restored = await runCli(t, ['backup', 'restore', id, '--yes'])
  t.is(restored.code, 0, restored.stderr)
  t.is((await runCli(t, ['recall', 'crane', '--json'])).json().results.length, 1)
})
