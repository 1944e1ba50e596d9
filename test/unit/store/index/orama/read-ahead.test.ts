import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { memories } from '../../../../../src/store/index/collections.js'
import { createIndex } from '../../../../../src/store/index/orama/packed-index.js'
import { readAhead } from '../../../../../src/store/index/orama/read-ahead.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'
import { sampleEntry } from '../sample-entry.js'

const model = 'test/letters'
const exact = new Float32Array([1, 0])

/** Saves a snapshot of two entries, one of them with a vector. */
async function snapshotOf(t: ExecutionContext): Promise<string> {
  const folder = temporaryFolder(t, 'read-ahead')
  const file = join(folder, 'index.snapshot')
  await write(file)
  return file
}

async function write(file: string): Promise<void> {
  const index = createIndex(memories, { dimensions: null, model })
  index.upsert(sampleEntry('a', 'the fox'))
  index.upsert(sampleEntry('b', 'the badger'))
  index.setVector('a', exact)
  await index.save(file)
  await index.close()
}

test('a preloaded snapshot becomes the index of the first caller, with its exact vectors', async t => {
  const ahead = readAhead(await snapshotOf(t), memories, { from: 2 })
  const asked: (readonly string[])[] = []
  const loadVectors = async (ids: readonly string[]) => {
    asked.push(ids)
    return new Map([['a', exact]])
  }
  const index = await ahead.take({ model, loadVectors })
  t.is(index?.stats().entries, 2)
  const { keyword, vector } = (await index?.search({ text: 'badger', vector: exact, depth: 5 })) ?? {}
  t.deepEqual(
    keyword?.map(({ id }) => id),
    ['b'],
  )
  t.deepEqual(
    vector?.map(({ id }) => id),
    ['a'],
  )
  t.deepEqual(asked, [['a']])
  t.is(await ahead.take({ model, loadVectors }), undefined, 'there is one')
})

test('a preloaded snapshot is unused for another model, a changed file or few rows', async t => {
  const file = await snapshotOf(t)
  const wanted = { model, loadVectors: async () => new Map() }
  t.is(await readAhead(file, memories).take({ ...wanted, model: 'test/other' }), undefined, 'another model')
  t.is(await readAhead(file, memories, { from: 3 }).take(wanted), undefined, 'fewer rows than are worth it')
  t.is(await readAhead(`${file}.none`, memories).take(wanted), undefined, 'no file')
  const ahead = readAhead(file, memories)
  rmSync(file)
  t.is(await ahead.take(wanted), undefined, 'a file that is gone')
  const replaced = await snapshotOf(t)
  const before = readAhead(replaced, memories)
  await before.take({ ...wanted, model: 'never asked for this one' })
  const again = readAhead(replaced, memories)
  await write(replaced)
  t.is(await again.take(wanted), undefined, 'another file of that name')
})
