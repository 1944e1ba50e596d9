import test from 'ava'
import { packedId } from '../../../src/store/sql/packed.js'
import { startDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

test('the original content of a memory is stored once; history and exports still show it (rules.md 2.2)', async t => {
  const { call, daemon, paths, remember } = await startDaemon(t)
  const id = await remember('the crane is red')
  // Only content of non-episodic memories can change.
  await daemon.store.tables.memories.update(id, 1, { memory_kind: 'semantic' })
  const long = await remember('word '.repeat(2000))
  const stored = () =>
    openRaw(t, paths.database)
      .prepare("SELECT memory_id FROM memory_history WHERE event = 'created' AND new_content IS NOT NULL")
      .pluck()
      .all()
  t.deepEqual(stored(), [Buffer.from(packedId(long) as unknown as Buffer)])
  const params = { id }
  const began = async () => (await call('GET /api/memory/:id/history', { params })).body.history[0]
  t.like(await began(), { oldContent: null, newContent: 'the crane is red' })
  const { transfer } = daemon.store.tables
  const exported = async () =>
    (await transfer.eventsAfter(await transfer.exported(id), Number.MAX_SAFE_INTEGER))[0]
  t.like(await exported(), { old_content: 'null', new_content: '' })
  for (const content of ['the crane is blue', 'the crane is green'])
    await call('PATCH /api/memory/:id', { params, body: { content, reason: 'painted' } })
  t.like(await began(), { oldContent: null, newContent: 'the crane is red' })
  t.like(await exported(), { old_content: 'null', new_content: '"the crane is red"' })
})
