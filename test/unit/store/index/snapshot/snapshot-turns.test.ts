// runs: in turn

import { join } from 'node:path'
import test from 'ava'
import { memories } from '../../../../../src/store/index/collections/memories.js'
import { createIndex, loadIndex } from '../../../../../src/store/index/orama/packed-index.js'
import { cpuMsOfTurns } from '../../../../helpers/cpu-time.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'
import { sampleEntry } from '../sample-entry.js'

test('a snapshot is saved and loaded in many turns of the event loop, none of them long', async t => {
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
    // A row that changes during the save is taken out of all lists when the file is read.
    setImmediate(() => index.upsert(sampleEntry('id-5', 'word5 fox', { change: 2 })))
    return saving
  }
  for (const work of [save, () => loadIndex(file, memories, options)]) {
    const turns = await cpuMsOfTurns(work())
    t.true(turns.length > 20, `${turns.length} turns`)
    // A turn that the collector falls into counts its threads too; nine of ten do not.
    const most = turns[Math.floor(turns.length * 0.9)]!
    t.true(most < 30, `${most} ms`)
  }
})
