import { join } from 'node:path'
import test from 'ava'
import { until } from '../../../helpers/daemon-process.js'
import { startTogether } from '../../../helpers/daemons-together.js'
import { codeProject, enableCode, indexProject } from '../../../helpers/indexed-project.js'

test('a code index stays with its daemon: others name it and change nothing of it', async t => {
  const { first, other } = await startTogether(t)
  for (const one of [first, other]) await enableCode(one)
  const { root: project } = codeProject(t)
  await indexProject(first, project)
  const stays = { daemon: 'other', others: [{ name: 'first', url: first.url }] }
  const status = await other.call('GET /api/code/status', { query: { project } })
  t.like(status.body, { indexed: false, stays })
  const asked = [
    await other.call('GET /api/code/search', { query: { project, query: 'store' } }),
    await other.call('GET /api/code/context', { query: { project, symbol: 'main' } }),
    await other.call('GET /api/code/doctor', { query: { project } }),
    await other.call('POST /api/code/clear', { body: { project, confirm: true } }),
    await other.call('GET /api/code/search', { query: { project: join(project, 'none'), query: 'store' } }),
  ]
  const where = `it may be at the daemon first (${first.url}), since each daemon of a team keeps its own`
  for (const { status, body } of asked) {
    t.is(status, 404)
    t.true(body.error?.endsWith(where), body.error)
  }
  t.truthy((await first.daemon.store.tables.codeProjects.find(project))?.indexed_at)
  const mine = await first.call('GET /api/code/status', { query: { project } })
  t.true(mine.body.indexed)
  t.is(mine.body.stays, undefined)
})

test('memories are tied to the code of this daemon, also beside an index that only another one has', async t => {
  const { first, other } = await startTogether(t)
  for (const one of [first, other]) await enableCode(one)
  const [theirs, here] = [codeProject(t).root, codeProject(t).root].toSorted() as [string, string]
  await indexProject(first, theirs)
  await first.stop()
  await other.remember('Containers: openStore of src/store.ts.', { project: theirs })
  await other.remember('Cranes: openStore of src/store.ts.', { project: here })
  await indexProject(other, here)
  const none = { memory_id: '', kind: '', target: '' }
  const { codeTies } = other.daemon.store.tables
  await until(async () => (await codeTies.tiesAfter(here, none, 9)).length > 0)
  t.deepEqual(await codeTies.tiesAfter(theirs, none, 9), [])
})
