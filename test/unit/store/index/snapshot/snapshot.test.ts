import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMemoryIndex, loadMemoryIndex } from '../../../../../src/store/index/create.js'
import type { MemoryIndex } from '../../../../../src/store/index/memory-index.js'
import { framesIn, SnapshotError } from '../../../../../src/store/index/snapshot/frames.js'
import { observe } from '../observe.js'
import { sampleDocument } from '../sample-document.js'

const options = { dimensions: 3, model: 'test-model' }
const queries = [
  { text: 'fox', vector: new Float32Array([1, 0, 0]) },
  { text: 'topic7 dog', filter: { tags: ['even'], agents: ['a'] } },
  { text: 'animal', vector: new Float32Array([0, 1, 1]), filter: { project: 'p' } },
]

async function temporaryFile(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'index-snapshot-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return join(folder, 'index.snapshot')
}

function change(index: MemoryIndex, number: number): void {
  const id = `id-${number % 40}`
  if (number % 7 === 6) index.remove(id)
  else {
    index.upsert(
      sampleDocument(id, `the fox met dog number${number} about topic${number % 9}`, {
        change: number + 1,
        hints: number % 3 === 0 ? [`animal ${number}`] : [],
        tags: number % 2 === 0 ? ['even', 'x'] : [],
        project: number % 5 === 0 ? 'p' : null,
        session: `s${number % 4}`,
        createdAt: number % 11,
        pinned: number % 6 === 0,
      }),
    )
    if (number % 2 === 0) index.setVector(id, new Float32Array([number % 3, 1, number % 5]))
  }
}

function changedIndex(changes: number): MemoryIndex {
  const index = createMemoryIndex(options)
  for (let number = 0; number < changes; number++) change(index, number)
  return index
}

const ids = Array.from({ length: 40 }, (_, i) => `id-${i}`)

test('a loaded snapshot is the index that was saved', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(200)
  const size = await index.save(file)
  const loaded = await loadMemoryIndex(file, options)
  t.is((await readFile(file)).length, size)
  t.deepEqual(await observe(loaded, ids, queries), await observe(index, ids, queries))
  t.is(loaded.stats().change, index.stats().change)
})

test('a loaded index goes on like the one that was saved', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(150)
  await index.save(file)
  const loaded = await loadMemoryIndex(file, options)
  for (let number = 150; number < 400; number++) for (const each of [index, loaded]) change(each, number)
  t.deepEqual(await observe(loaded, ids, queries), await observe(index, ids, queries))
})

test('an index that changes while it is saved is saved as it was at one moment', async t => {
  const file = await temporaryFile(t)
  const index = createMemoryIndex(options)
  for (let number = 0; number < 3000; number++)
    index.upsert(sampleDocument(`base-${number}`, `text${number}`))
  let number = 0
  let saving = true
  const save = index.save(file).finally(() => {
    saving = false
  })
  await new Promise<void>(resolve => {
    const step = () => {
      for (let i = 0; i < 5; i++) change(index, number++)
      if (saving) setImmediate(step)
      else resolve()
    }
    step()
  })
  await save
  const loaded = await loadMemoryIndex(file, options)
  const saved = loaded.stats().change
  t.true(saved > 5)
  const expected = createMemoryIndex(options)
  for (let i = 0; i < 3000; i++) expected.upsert(sampleDocument(`base-${i}`, `text${i}`))
  for (let i = 0; i < Math.ceil(saved / 5) * 5; i++) change(expected, i)
  t.deepEqual(await observe(loaded, ids, queries), await observe(expected, ids, queries))
})

test('the first vector may come while an index without dimensions is saved', async t => {
  const file = await temporaryFile(t)
  const index = createMemoryIndex({ dimensions: null })
  index.upsert(sampleDocument('1', 'fox'))
  const save = index.save(file)
  index.setVector('1', new Float32Array([1, 0]))
  await save
  const loaded = await loadMemoryIndex(file, { dimensions: null })
  t.is(loaded.stats().vectors, 1)
})

test('a snapshot with any byte flipped or cut off is refused', async t => {
  const file = await temporaryFile(t)
  const index = createMemoryIndex(options)
  for (let number = 0; number < 2; number++) change(index, number)
  await index.save(file)
  const good = await readFile(file)
  const isRefused = async (bytes: Uint8Array) => {
    let at = 0
    const source = {
      async read(buffer: Buffer, offset: number, length: number) {
        const part = bytes.subarray(at, at + length)
        buffer.set(part, offset)
        at += part.length
        return { bytesRead: part.length }
      },
    }
    try {
      for await (const _ of framesIn(source, bytes.length));
      return false
    } catch (error) {
      return error instanceof SnapshotError
    }
  }
  t.false(await isRefused(good))
  for (let at = 0; at < good.length; at++) {
    const flipped = Buffer.from(good)
    flipped[at]! ^= 1 << (at % 8)
    if (!(await isRefused(flipped))) t.fail(`a flip at byte ${at} went unseen`)
    if (!(await isRefused(good.subarray(0, at)))) t.fail(`a cut at byte ${at} went unseen`)
  }
  t.true(await isRefused(Buffer.concat([good, Buffer.alloc(1)])))
  await writeFile(file, good.subarray(0, good.length - 1))
  await t.throwsAsync(loadMemoryIndex(file, options), { instanceOf: SnapshotError })
})

test('a snapshot of another embedding model or length is refused', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(20)
  await index.save(file)
  await t.throwsAsync(loadMemoryIndex(file, { ...options, model: 'other' }), {
    instanceOf: SnapshotError,
    message: /model test-model, this index other/,
  })
  await t.throwsAsync(loadMemoryIndex(file, { ...options, dimensions: 4 }), { instanceOf: SnapshotError })
})

test('a missing snapshot says so', async t => {
  const file = await temporaryFile(t)
  const error = await t.throwsAsync(loadMemoryIndex(file, options), { instanceOf: SnapshotError })
  t.is((error as SnapshotError).reason, 'missing')
})

test('a save that fails leaves the old snapshot and no other file', async t => {
  const file = await temporaryFile(t)
  await changedIndex(20).save(file)
  const before = await readFile(file)
  const index = changedIndex(30)
  await t.throwsAsync(index.save(join(file, 'below-a-file')))
  t.deepEqual(await readFile(file), before)
  await index.save(file)
  t.deepEqual(await readdir(join(file, '..')), ['index.snapshot'])
})

test('a snapshot holds no sentence', async t => {
  const file = await temporaryFile(t)
  const index = createMemoryIndex(options)
  index.upsert(sampleDocument('1', 'zebra umbrella password9 hidden', { hints: ['violet harbour'] }))
  await index.save(file)
  const text = (await readFile(file)).toString('latin1')
  t.true(text.includes('zebra'))
  t.notRegex(text, /zebra umbrella|umbrella password9|password9 hidden|violet harbour/)
})
