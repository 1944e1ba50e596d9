import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

/** Saves versions of one memory, each superseding the one before. @returns their ids, oldest first */
async function saveVersions({ remember }: TestDaemon, length: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < length; n++) {
    const previous = ids.at(-1)
    ids.push(
      await remember(
        `release ${n} is current`,
        previous ? { supersedes: previous, reason: `step ${n}` } : {},
      ),
    )
  }
  return ids
}

const idsOf = async ({ call }: TestDaemon, id: string, query = {}) =>
  (await call('GET /api/memory/:id/lineage', { params: { id }, query })).body.lineage.map(item => item.id)

test('lineage runs to the head and is newest first (rules.md 4.4)', async t => {
  const daemon = await startDaemon(t)
  const ids = await saveVersions(daemon, 4)
  const { body } = await daemon.call('GET /api/memory/:id/lineage', { params: { id: ids[1]! } })
  t.is(body.memoryId, ids[1]!)
  t.is(body.count, 3)
  t.deepEqual(
    body.lineage.map(item => item.id),
    [ids[3], ids[2], ids[1]],
  )
  t.like(body.lineage[0], { content: 'release 3 is current', supersededBy: null, version: 1 })
  t.like(body.lineage[2], { supersededBy: ids[2], supersededReason: 'step 2', version: 2, type: 'fact' })
  t.truthy(body.lineage[2]?.supersededAt)
  t.truthy(body.lineage[2]?.createdAt)
})

test('the lineage of a memory without a replacement is itself (rules.md 4.4)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('alone')
  t.deepEqual(await idsOf(daemon, id), [id])
})

test('the lineage limit defaults to 50, is capped at 500 and keeps the newest (rules.md 8)', async t => {
  const daemon = await startDaemon(t)
  const ids = await saveVersions(daemon, 53)
  const newest = [...ids].reverse()
  t.deepEqual(await idsOf(daemon, ids[0]!), newest.slice(0, 50))
  t.deepEqual(await idsOf(daemon, ids[0]!, { limit: 2 }), newest.slice(0, 2))
  t.deepEqual(await idsOf(daemon, ids[0]!, { limit: 100_000 }), newest)
  const { status } = await daemon.call('GET /api/memory/:id/lineage', {
    params: { id: ids[0]! },
    query: { limit: -1 },
  })
  t.is(status, 400)
})

test('forgotten links of a lineage are followed but not shown (rules.md 4.4)', async t => {
  const daemon = await startDaemon(t)
  const ids = await saveVersions(daemon, 3)
  await daemon.call('DELETE /api/memory/:id', { params: { id: ids[1]! }, query: { reason: 'r' } })
  t.deepEqual(await idsOf(daemon, ids[0]!), [ids[2]!, ids[0]!])
})

test('the lineage of an unknown, forgotten or hidden memory is 404 (rules.md 4.4)', async t => {
  const daemon = await startDaemon(t)
  const gone = await daemon.remember('gone')
  await daemon.call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  const hidden = await daemon.remember('hidden', { agentId: 'owner', visibility: 'private' })
  for (const id of ['nope', gone, hidden]) {
    const { status, body } = await daemon.call('GET /api/memory/:id/lineage', { params: { id } })
    t.is(status, 404)
    t.deepEqual(Object.keys(body).sort(), ['code', 'error'])
  }
  t.deepEqual(await idsOf(daemon, hidden, { agentId: 'owner' }), [hidden])
})
