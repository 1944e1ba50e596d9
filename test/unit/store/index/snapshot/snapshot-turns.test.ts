// runs: in turn

import { join } from 'node:path'
import test from 'ava'
import { memories } from '../../../../../src/store/index/collections.js'
import { createIndex, loadIndex } from '../../../../../src/store/index/orama/packed-index.js'
import { cpuMsOfTurns } from '../../../../helpers/cpu-time.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'
import { sampleEntry } from '../sample-entry.js'

test('saving and loading a snapshot takes many short turns of the event loop', async t => {
  const file = join(temporaryFolder(t, 'index-snapshot'), 'index.snapshot')
  const options = { dimensions: 256, model: 'test-model' }
  const index = createIndex(memories, options)
  const vector = Float32Array.from({ length: 256 }, (_, i) => Math.sin(i))
  for (let i = 0; i < 20_000; i++) {
    index.upsert(sampleEntry(`id-${i}`, `word${i % 500} word${i % 77} fox`, { session: `s${i % 900}` }))
    index.setVector(`id-${i}`, vector)
  }
  const save = () => {
    const saving = index.save(file)
    // A row changed during the save is removed from all lists when the file is read.
    setImmediate(() => index.upsert(sampleEntry('id-5', 'word5 fox', { change: 2 })))
    return saving
  }
  for (const work of [save, () => loadIndex(file, memories, options)]) {
    const turns = await cpuMsOfTurns(work())
    t.true(turns.length > 20, `${turns.length} turns`)
    // CPU time of a turn includes the threads of the garbage collector, which affects few turns.
    const most = turns[Math.floor(turns.length * 0.9)]!
    t.true(most < 30, `${most} ms`)
  }
})
