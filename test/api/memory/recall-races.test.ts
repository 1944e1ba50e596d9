import test from 'ava'
import fc from 'fast-check'
import { startDaemon } from '../../helpers/daemon.js'

test('a row forgotten between ranking and loading is not recalled (recall.md 1.3.6)', async t => {
  const { daemon, call, remember, recall } = await startDaemon(t)
  const going = await remember('the barrel is in the blue cellar')
  const staying = await remember('the blue cellar is locked')
  const { memories } = daemon.store.tables
  const { loadRecallable } = memories
  memories.loadRecallable = async (...request) => {
    memories.loadRecallable = loadRecallable
    await call('DELETE /api/memory/:id', { params: { id: going }, query: { reason: 'gone' } })
    return loadRecallable(...request)
  }
  t.deepEqual(await recall('blue cellar'), [staying])
})

test('a recall during forgets and recoveries shows only live memories (rules.md 3.1)', async t => {
  const { call, remember, recall } = await startDaemon(t)
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await remember(`shared word and number ${n}`))
  const forget = (id: string) => call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'test' } })
  const recover = (id: string) =>
    call('POST /api/memory/:id/recover', { params: { id }, body: { reason: 'test' } })
  const everyRow = () => recall('shared word', { score_min: 0, limit: 100 })
  // One writer at a time changes each row, and recalls run in between.
  const round = fc.record({
    forgotten: fc.subarray(ids),
    recallsBefore: fc.integer({ min: 0, max: 2 }),
    recallsBeside: fc.integer({ min: 1, max: 3 }),
  })
  const always = (list: readonly string[], given: readonly string[]) => list.every(id => given.includes(id))
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async rounds => {
      for (const { forgotten, recallsBefore, recallsBeside } of rounds) {
        const kept = ids.filter(id => !forgotten.includes(id))
        const before = Array.from({ length: recallsBefore }, everyRow)
        const gone = Promise.all(forgotten.map(forget))
        const beside = Array.from({ length: recallsBeside }, everyRow)
        for (const given of await Promise.all([...before, ...beside])) t.true(always(kept, given))
        await gone
        t.deepEqual((await everyRow()).sort(), [...kept].sort())
        await Promise.all(forgotten.map(recover))
        t.deepEqual((await everyRow()).sort(), [...ids].sort())
      }
    }),
    { numRuns: 20 },
  )
})
