import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import {
  type MemoryEntry,
  type MemoryEntryFilter,
  memories,
} from '../../../../../src/store/index/collections.js'
import {
  createIndex,
  loadIndex,
  type SearchIndex,
} from '../../../../../src/store/index/orama/packed-index.js'
import {
  type Frame,
  framesIn,
  readFrames,
  SnapshotError,
  writeFrames,
} from '../../../../../src/store/index/snapshot/frames.js'
import { kinds } from '../../../../../src/store/index/snapshot/stored-rows.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'
import { noise } from '../noise.js'
import { observe } from '../observe.js'
import { sampleEntry } from '../sample-entry.js'

const options = { dimensions: 3, model: 'test-model' }
const queries = [
  { text: 'fox', vector: new Float32Array([1, 0, 0]) },
  { text: 'topic7 dog', filter: { tags: ['even'], agents: ['a'] } },
  { text: 'animal', vector: new Float32Array([0, 1, 1]), filter: { project: 'p' } },
  { text: 'dog', filter: { project: 'q', agents: ['b'] } },
]

async function temporaryFile(t: ExecutionContext): Promise<string> {
  const folder = temporaryFolder(t, 'index-snapshot')
  return join(folder, 'index.snapshot')
}

function change(index: SearchIndex<MemoryEntry, MemoryEntryFilter>, number: number): void {
  const id = `id-${number % 40}`
  if (number % 7 === 6) index.remove(id)
  else {
    index.upsert(
      sampleEntry(id, `the fox met dog number${number} about topic${number % 9}`, {
        change: number + 1,
        hints: number % 3 === 0 ? [`animal ${number}`] : [],
        tags: number % 2 === 0 ? ['even', 'x'] : [],
        project: number % 5 === 0 ? 'p' : null,
        session: `s${number % 4}`,
        createdAt: number % 11,
        pinned: number % 6 === 0,
        held: number % 4 === 0 ? ['agent b', 'project q'] : [],
      }),
    )
    if (number % 2 === 0) index.setVector(id, new Float32Array([number % 3, 1, number % 5]))
  }
}

function changedIndex(changes: number): SearchIndex<MemoryEntry, MemoryEntryFilter> {
  const index = createIndex(memories, options)
  for (let number = 0; number < changes; number++) change(index, number)
  return index
}

const ids = Array.from({ length: 40 }, (_, i) => `id-${i}`)

test('a loaded snapshot equals the saved index', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(200)
  const size = await index.save(file)
  const loaded = await loadIndex(file, memories, options)
  t.is((await readFile(file)).length, size)
  t.deepEqual(await observe(loaded, ids, queries), await observe(index, ids, queries))
  t.is(loaded.stats().change, index.stats().change)
})

test('lists spread over several parts of the file are complete', async t => {
  const file = await temporaryFile(t)
  const index = createIndex(memories, options)
  const tags = Array.from({ length: 1000 }, (_, number) => `t${number}`)
  index.upsert(sampleEntry('one', 'the fox', { tags }))
  await index.save(file)
  await writeFrames(`${file}.parts`, inParts(file))
  const loaded = await loadIndex(`${file}.parts`, memories, options)
  for (const tag of ['t0', 't499', 't500', 't999']) {
    const { keyword } = await loaded.search({ text: 'fox', depth: 1, filter: { tags: [tag] } })
    t.is(keyword.length, 1, tag)
  }
})

/** Splits each frame of lists in two, as in files with more than half a million entries. */
async function* inParts(file: string): AsyncGenerator<Frame> {
  for await (const frame of readFrames(file, (_name, bytes) => Buffer.allocUnsafeSlow(bytes))) {
    const middle = frame.kind === kinds.lists ? (frame.payload.length >> 3) * 4 : 0
    const isRepetitive = frame.kind === kinds.lists
    if (middle > 0) yield { ...frame, payload: frame.payload.subarray(0, middle), isRepetitive }
    yield { ...frame, from: frame.from + middle / 4, payload: frame.payload.subarray(middle), isRepetitive }
  }
}

test('vectors of a large loaded index are found as before the save', async t => {
  const file = await temporaryFile(t)
  const wide = { ...options, dimensions: 32 }
  const index = createIndex(memories, wide)
  const next = noise(3)
  const vector = () => Float32Array.from({ length: wide.dimensions }, next)
  const number = 10_000
  for (let i = 0; i < number; i++) {
    index.upsert(sampleEntry(`v-${i}`, 'fox'))
    index.setVector(`v-${i}`, vector())
  }
  for (let i = 0; i < number; i += 97) index.remove(`v-${i}`)
  const saving = index.save(file)
  for (let i = 1; i < number; i += 1013) index.setVector(`v-${i}`, vector())
  await saving
  const loaded = await loadIndex(file, memories, wide)
  for (let asked = 0; asked < 10; asked++) {
    const query = { text: '', vector: vector(), depth: 100 }
    const [before, after] = [await index.search(query), await loaded.search(query)]
    const scores = ({ vector: hits }: typeof before) => new Map(hits.map(({ id, score }) => [id, score]))
    t.is(before.vector.length, 100)
    t.deepEqual(scores(after), scores(before))
  }
})

test('a snapshot loads to the same index without WebAssembly', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(200)
  await index.save(file)
  const loaded = await loadIndex(file, memories, { ...options, simd: false })
  t.deepEqual(await observe(loaded, ids, queries), await observe(index, ids, queries))
})

test('a loaded index continues like the saved one', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(150)
  await index.save(file)
  const loaded = await loadIndex(file, memories, options)
  for (let number = 150; number < 400; number++) for (const each of [index, loaded]) change(each, number)
  t.deepEqual(await observe(loaded, ids, queries), await observe(index, ids, queries))
})

test('an index changed during its save is saved as of one moment', async t => {
  const file = await temporaryFile(t)
  const base = 3000
  const changesBefore = 100
  const start = (): SearchIndex<MemoryEntry, MemoryEntryFilter> => {
    const index = createIndex(memories, options)
    for (let i = 0; i < base; i++) index.upsert(sampleEntry(`base-${i}`, `text${i} fox`, { tags: ['even'] }))
    for (let number = 0; number < changesBefore; number++) changeAny(index, number)
    return index
  }
  // Changes and removes both rows already written and rows still to be written.
  const changeAny = (index: SearchIndex<MemoryEntry, MemoryEntryFilter>, number: number): void => {
    change(index, number)
    const id = `base-${(number * 37) % base}`
    if (number % 4 === 0) index.remove(id)
    else index.upsert(sampleEntry(id, `dog ${number}`, { change: number + 1, session: `t${number % 9}` }))
    if (number % 3 === 0) index.setVector(id, new Float32Array([1, number % 7, 2]))
  }
  const index = start()
  let number = changesBefore
  let saving = true
  const save = index.save(file).finally(() => {
    saving = false
  })
  await new Promise<void>(resolve => {
    const step = () => {
      for (let i = 0; i < 5; i++) changeAny(index, number++)
      if (saving) setImmediate(step)
      else resolve()
    }
    step()
  })
  await save
  const loaded = await loadIndex(file, memories, options)
  const saved = loaded.stats().change
  t.true(saved > changesBefore + 5)
  const expected = start()
  for (let i = changesBefore; i < Math.ceil(saved / 5) * 5; i++) changeAny(expected, i)
  const all = [...ids, ...Array.from({ length: base }, (_, i) => `base-${i}`)]
  t.deepEqual(await observe(loaded, all, queries), await observe(expected, all, queries))
  for (const each of [loaded, expected]) for (let i = 0; i < 500; i++) changeAny(each, 10_000 + i)
  t.deepEqual(await observe(loaded, all, queries), await observe(expected, all, queries))
})

test('rows of removed memories are deleted from the file', async t => {
  const file = await temporaryFile(t)
  const wide = { dimensions: 32, model: 'test-model' }
  const index = createIndex(memories, wide)
  for (let i = 0; i < 1000; i++) {
    index.upsert(sampleEntry(`id-${i}`, `word${i} fox`))
    index.setVector(
      `id-${i}`,
      Float32Array.from({ length: 32 }, (_, at) => Math.sin(at * i)),
    )
  }
  const full = await index.save(file)
  for (let i = 0; i < 1000; i++) if (i % 10 > 0) index.remove(`id-${i}`)
  t.true((await index.save(file)) < full / 2)
  const loaded = await loadIndex(file, memories, wide)
  const kept = Array.from({ length: 1000 }, (_, i) => `id-${i}`)
  const asked = [{ text: 'fox word10 word11', vector: new Float32Array(32).fill(1) }]
  t.deepEqual(await observe(loaded, kept, asked), await observe(index, kept, asked))
})

test('a removed vector is deleted from the file', async t => {
  const file = await temporaryFile(t)
  const index = createIndex(memories, { dimensions: 32, model: 'test-model' })
  const vector = Float32Array.from({ length: 32 }, (_, i) => i - 10)
  const quantised = Buffer.from(Int8Array.from(vector, number => Math.round((number * 127) / 21)).buffer)
  index.upsert(sampleEntry('1', 'fox'))
  index.setVector('1', vector)
  index.upsert(sampleEntry('2', 'dog'))
  index.setVector('2', new Float32Array(32).fill(1))
  await index.save(file)
  t.true((await readFile(file)).includes(quantised))
  index.remove('1')
  index.upsert(sampleEntry('3', 'takes the row of the first'))
  await index.save(file)
  t.false((await readFile(file)).includes(quantised))
})

test('any string is restored unchanged', async t => {
  const file = await temporaryFile(t)
  const strings = ['plain', 'grün', 'слово', '猫', '😀', '\ud800', '\udc00', '\0', '']
  const index = createIndex(memories, options)
  for (const [i, text] of strings.entries())
    index.upsert(sampleEntry(`${text}-${i}`, `text ${text}`, { who: text, session: text, tags: [text, 'x'] }))
  await index.save(file)
  const loaded = await loadIndex(file, memories, options)
  const all = strings.map((text, i) => `${text}-${i}`)
  const asked = strings.map(text => ({ text: `text ${text}`, filter: { who: text, tags: [text] } }))
  t.deepEqual(await observe(loaded, all, asked), await observe(index, all, asked))
})

test('the first vector may arrive while an index without dimensions is saved', async t => {
  const file = await temporaryFile(t)
  const index = createIndex(memories, { dimensions: null })
  index.upsert(sampleEntry('1', 'fox'))
  const save = index.save(file)
  index.setVector('1', new Float32Array([1, 0]))
  await save
  const loaded = await loadIndex(file, memories, { dimensions: null })
  t.is(loaded.stats().vectors, 1)
})

test('a snapshot with any byte flipped or cut off is refused', async t => {
  const file = await temporaryFile(t)
  const index = createIndex(memories, options)
  for (let number = 0; number < 2; number++) change(index, number)
  await index.save(file)
  const good = await readFile(file)
  const isRefused = async (bytes: Uint8Array) => {
    let at = 0
    const source = {
      async readv(buffers: Uint8Array[]) {
        const start = at
        for (const buffer of buffers) {
          const part = bytes.subarray(at, at + buffer.length)
          buffer.set(part)
          at += part.length
        }
        return { bytesRead: at - start }
      },
    }
    try {
      for await (const _ of framesIn(source, bytes.length, (_, length) => Buffer.alloc(length)));
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
})

test('with any wrong byte, loading reports a damaged snapshot', async t => {
  const file = await temporaryFile(t)
  await changedIndex(150).save(file)
  const good = await readFile(file)
  for (let at = 8; at < good.length; at += 389) {
    const flipped = Buffer.from(good)
    flipped[at]! ^= 255
    for (const bad of [flipped, good.subarray(0, at)]) {
      await writeFile(file, bad)
      const error = await t.throwsAsync(loadIndex(file, memories, options), { instanceOf: SnapshotError })
      t.is((error as SnapshotError).reason, 'damaged')
    }
  }
})

test('an uncompressed snapshot of the previous version is read', async t => {
  const file = await temporaryFile(t)
  const saved = changedIndex(600)
  await saved.save(file)
  await writeFile(file, asWrittenBefore(await readFile(file)))
  const loaded = await loadIndex(file, memories, options)
  t.deepEqual(await observe(loaded, ids, queries), await observe(saved, ids, queries))
})

/** Rewrites frames in the previous format: headers of 24 bytes and uncompressed payloads. */
function asWrittenBefore(bytes: Buffer): Buffer {
  const parts: Uint8Array[] = [Buffer.from('MEMIDX06')]
  for (let at = 8, number = 0; at < bytes.length; number++) {
    const [kind, which, from, length, stored] = [0, 4, 8, 12, 16].map(offset =>
      bytes.readUInt32LE(at + offset),
    ) as [number, number, number, number, number]
    const inFile = bytes.subarray(at + 28, at + 28 + stored)
    const payload = stored === length ? inFile : inflateRawSync(inFile)
    const header = Buffer.alloc(24)
    for (const [i, value] of [kind, which, from, length, crc32(payload)].entries())
      header.writeUInt32LE(value, i * 4)
    header.writeUInt32LE(crc32(header.subarray(0, 20), number), 20)
    parts.push(header, payload)
    at += 28 + stored
  }
  return Buffer.concat(parts)
}

test('a snapshot of another format version is refused', async t => {
  const file = await temporaryFile(t)
  await changedIndex(20).save(file)
  const bytes = await readFile(file)
  bytes.write('01', 6, 'latin1')
  await writeFile(file, bytes)
  const error = await t.throwsAsync(loadIndex(file, memories, options), {
    instanceOf: SnapshotError,
    message: /another version/,
  })
  t.is((error as SnapshotError).reason, 'incompatible')
})

test('a snapshot of another embedding model or dimension is refused', async t => {
  const file = await temporaryFile(t)
  const index = changedIndex(20)
  await index.save(file)
  await t.throwsAsync(loadIndex(file, memories, { ...options, model: 'other' }), {
    instanceOf: SnapshotError,
    message: /model test-model, this index other/,
  })
  await t.throwsAsync(loadIndex(file, memories, { ...options, dimensions: 4 }), { instanceOf: SnapshotError })
})

test('a missing snapshot is reported as missing', async t => {
  const file = await temporaryFile(t)
  const error = await t.throwsAsync(loadIndex(file, memories, options), { instanceOf: SnapshotError })
  t.is((error as SnapshotError).reason, 'missing')
})

test('a failed save keeps the old snapshot and leaves no other file', async t => {
  const file = await temporaryFile(t)
  await changedIndex(20).save(file)
  const before = await readFile(file)
  const index = changedIndex(30)
  await t.throwsAsync(index.save(join(file, 'below-a-file')))
  t.deepEqual(await readFile(file), before)
  await index.save(file)
  t.deepEqual(await readdir(join(file, '..')), ['index.snapshot'])
})

test('a snapshot contains no sentences', async t => {
  const file = await temporaryFile(t)
  const index = createIndex(memories, options)
  index.upsert(sampleEntry('1', 'zebra umbrella password9 hidden', { hints: ['violet harbour'] }))
  await index.save(file)
  const text = (await readFile(file)).toString('latin1')
  t.true(text.includes('zebra'))
  t.notRegex(text, /zebra umbrella|umbrella password9|password9 hidden|violet harbour/)
})
