import test from 'ava'
import { runsOf } from '../../../../src/daemon/knowledge/sources/core/runs.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { putNote, readVault, removeWholly, vaultOf } from '../../../helpers/sources.js'

test('a source is added, read, paused, resumed and removed from a daemon that does not read it', async t => {
  const postgres = await ownDatabase(t)
  const join = (name: string): Promise<TestDaemon> =>
    startDaemon(t, {
      settings: { storage: { postgres, shared: true }, team: { node: 'first' } },
      environment: { SERVICE_NODE_NAME: name },
    })
  const [first, other] = [await join('first'), await join('other')]
  const root = vaultOf(t, { 'a.md': 'The crane lifts containers.' })
  const { id: sourceId, indexJob } = await readVault(other, root)
  const params = { sourceId }
  t.is(indexJob?.status, 'complete')
  t.deepEqual(runsOf(other.daemon).running(), [])
  await until(() => runsOf(first.daemon).running().includes(sourceId))
  const found = async (query: string) =>
    (await other.call('POST /api/sources/search', { body: { query } })).body.results.length
  await until(async () => (await found('crane')) === 1)

  const paused = await other.call('POST /api/sources/:sourceId/pause', { params })
  t.is(paused.body.job.status, 'paused')
  await until(() => runsOf(first.daemon).running().length === 0)
  putNote(root, 'b.md', 'A lighthouse blinks.')
  t.is((await other.call('POST /api/sources/:sourceId/resume', { params })).status, 202)
  await until(async () => (await found('lighthouse')) === 1)
  await until(() => runsOf(first.daemon).running().length === 1)

  await removeWholly(other, sourceId)
  await until(() => runsOf(first.daemon).running().length === 0)
  await until(async () => (await found('crane')) === 0)
})
