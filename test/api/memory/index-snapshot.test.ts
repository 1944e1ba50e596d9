import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('a stopped daemon leaves a snapshot without any content, and the next one starts from it', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('The quarterly review happens in the amphitheatre downtown')
  await first.stop()
  const snapshot = readFileSync(first.paths.snapshot)
  t.false(snapshot.includes('quarterly review'))
  t.false(snapshot.includes('amphitheatre downtown'))
  const second = await startDaemon(t, { workspace: first.paths.root })
  t.deepEqual(await second.recall('quarterly review'), [id])
})

test('changes after the last snapshot are applied at start', async t => {
  const first = await startDaemon(t)
  const gone = await first.remember('the falcon nests in the tower')
  const kept = await first.remember('the heron nests at the pond')
  await first.stop()
  const snapshot = readFileSync(first.paths.snapshot)
  const second = await startDaemon(t, { workspace: first.paths.root })
  await second.call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'test' } })
  const added = await second.remember('the stork nests on the chimney')
  await second.stop()
  writeFileSync(first.paths.snapshot, snapshot)
  const third = await startDaemon(t, { workspace: first.paths.root })
  t.deepEqual((await third.recall('nests', { score_min: 0 })).sort(), [kept, added].sort())
})

for (const [what, damage] of [
  ['truncated', (file: string) => truncateSync(file, 40)],
  ['foreign', (file: string) => writeFileSync(file, 'not a snapshot')],
  ['empty', (file: string) => writeFileSync(file, '')],
] as const)
  test(`a ${what} snapshot is rebuilt from the database`, async t => {
    const first = await startDaemon(t)
    const id = await first.remember('sourdough needs a warm night')
    await first.stop()
    t.true(existsSync(first.paths.snapshot))
    damage(first.paths.snapshot)
    const second = await startDaemon(t, { workspace: first.paths.root })
    t.deepEqual(await second.recall('sourdough'), [id])
    t.is((await second.call('GET /api/status')).body.index.state, 'ready')
  })
