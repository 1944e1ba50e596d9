import test from 'ava'
import { statusText } from '../../src/cli/operations/sync/sync-command.js'
import { colorsFor } from '../../src/cli/terminal/output.js'
import { cliWorkspace } from '../helpers/cli.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { startDaemon } from '../helpers/daemon.js'
import { syncFolder } from '../helpers/sync.js'
import { testPlaces } from '../helpers/sync-places.js'

test('a place that is not there, and wrong credentials, are said when a sync begins', async t => {
  const missing = `${cliWorkspace(t)}-elsewhere`
  for (const words of [
    ['sync', 'init', missing, '--yes'],
    ['sync', 'join', missing, '--yes'],
  ]) {
    const { code, stderr } = await runHere(t, words)
    t.is(code, 1, stderr)
    t.regex(stderr, /the folder .*-elsewhere is not there; create it, or connect its drive/u)
  }
  const { address } = await testPlaces.S3(t)
  const refused = await runHere(t, ['sync', 'init', address, '--yes'], { stdin: 'AKIDEXAMPLE:swordfish' })
  t.regex(refused.stderr, /memory secrets set SYNC_CREDENTIALS/u)
  t.notRegex(refused.stdout + refused.stderr, /swordfish|internal error/u)
})

test('the recovery code is shown before the first exchange, which may fail', async t => {
  const { address, credentials, server } = await testPlaces.S3(t)
  server!.fault = ({ method }) =>
    method === 'GET' && [...server!.files.keys()].some(name => name.endsWith('.ring'))
      ? { status: 403 }
      : undefined
  const { code, stdout, stderr } = await runHere(t, ['sync', 'init', address, '--yes'], {
    stdin: credentials!,
  })
  t.is(code, 0, stderr)
  t.regex(stdout, /^Recovery code: \S+$/mu)
  t.true(stdout.includes(`memory sync join '${address}'`), stdout)
  t.regex(stdout, /problem .*credentials/u)
})

test('a workspace that syncs keeps its credentials, and a paused one says that nothing was exchanged', async t => {
  const folder = syncFolder(t)
  t.is((await runHere(t, ['sync', 'init', folder, '--yes'])).code, 0)
  const { call } = await daemonHere(t)
  const again = await runHere(t, ['sync', 'join', 's3://shelf/notes', '--yes'], { stdin: 'another:one' })
  t.is(again.code, 4)
  t.regex(again.stderr, /this workspace syncs with .* already\nnext: memory sync leave/u)
  t.deepEqual((await call('GET /api/secrets')).body, { secrets: [] })
  t.is((await runHere(t, ['sync', 'pause'])).code, 0)
  const paused = await runHere(t, ['sync', 'now'])
  t.is(paused.code, 1)
  t.regex(paused.stderr, /nothing was exchanged\nnext: memory sync resume/u)
})

test('a machine that waits says how a lost code is replaced, and the other one what the request needs', async t => {
  const address = syncFolder(t)
  const other = await startDaemon(t)
  await other.call('POST /api/sync/init', { body: { address, name: 'desk' } })
  t.is((await runHere(t, ['sync', 'join', address, '--yes'])).code, 0)
  t.regex(
    (await runHere(t, ['sync', 'status'])).stdout,
    /approve CODE .* New code: memory sync leave, then join$/mu,
  )
  await other.call('POST /api/sync/run', { body: {} })
  const { body } = await other.call('GET /api/sync')
  t.regex(statusText(body, colorsFor({ isTTY: false })), /asking to join +1: memory sync approve CODE/u)
})
