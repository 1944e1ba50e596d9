// runs: in turn

import { createHash } from 'node:crypto'
import test from 'ava'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'
import { RowMask } from '../../../../../src/store/index/rows/row-masks.js'
import { VectorStore } from '../../../../../src/store/index/vectors/vector-store.js'
import { noise } from '../noise.js'
import { pairsOf } from '../pairs-of.js'

const budget = new LoopBudget()

/** Returns clustered vectors, like texts on a few subjects. */
function clustered(count: number, dimensions: number, seed: number): Float32Array[] {
  const next = noise(seed)
  const centres = Array.from({ length: 50 }, () => Float32Array.from({ length: dimensions }, next))
  return Array.from({ length: count }, (_, i) =>
    centres[i % centres.length]!.map(value => value + 0.6 * next()),
  )
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!
    squaresA += a[i]! ** 2
    squaresB += b[i]! ** 2
  }
  return product / Math.sqrt(squaresA * squaresB)
}

function maskOf(capacity: number, passes: (row: number) => boolean): RowMask {
  const mask = new RowMask(() => undefined, capacity)
  for (let row = 0; row < capacity; row++) {
    mask.bytes[row] = Number(passes(row))
    mask.size += mask.bytes[row]!
  }
  return mask
}

function storeOf(vectors: readonly Float32Array[], options: { simd?: boolean } = {}): VectorStore {
  const store = new VectorStore(vectors[0]!.length, options)
  for (const [row, vector] of vectors.entries()) store.set(row, vector)
  return store
}

/** Generators of vectors and queries, realistic and hostile. */
const kinds: Record<string, (count: number, dimensions: number, seed: number) => Float32Array[]> = {
  clustered: (count, dimensions, seed) =>
    clustered(count, dimensions, 1).map((vector, i) => vector.map((x, j) => x + Math.sin(seed * i + j) / 4)),
  'without any structure': (count, dimensions, seed) => {
    const next = noise(seed)
    return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next))
  },
  'similar to each other': (count, dimensions, seed) => {
    const next = noise(seed)
    return Array.from({ length: count }, () =>
      Float32Array.from({ length: dimensions }, (_, i) => ((i % 7) - 2) / 2 + next()),
    )
  },
  'with a few large numbers': (count, dimensions, seed) => {
    const next = noise(seed)
    return Array.from({ length: count }, () =>
      Float32Array.from({ length: dimensions }, () => (next() > 0.9 ? next() : 0)),
    )
  },
}

for (const [kind, make] of Object.entries(kinds)) {
  const dimensions = kind === 'clustered' ? 100 : 384
  test(`the best 100 of a scan contain 99 % of the exact top 10: vectors ${kind}`, async t => {
    const vectors = make(12_000, dimensions, 2)
    const store = storeOf(vectors)
    const everything = maskOf(vectors.length, () => true)
    const queries = make(20, dimensions, 3)
    let found = 0
    let largestError = 0
    for (const query of queries) {
      const exact = vectors.map((vector, row): [number, number] => [row, cosine(query, vector)])
      const best = exact.sort((a, b) => b[1] - a[1]).slice(0, 10)
      const hits = new Map(pairsOf(await store.search(query, 100, everything, budget)))
      for (const [row, score] of best) {
        if (!hits.has(row)) continue
        found++
        largestError = Math.max(largestError, Math.abs(hits.get(row)! - score))
      }
    }
    t.true(largestError < 0.01)
    t.true(found >= queries.length * 10 * 0.99, `found ${found} of ${queries.length * 10}`)
  })
}

test('plain JavaScript yields the same rows and scores as WebAssembly', async t => {
  const vectors = clustered(12_000, 64, 2)
  const simd = storeOf(vectors)
  const plain = storeOf(vectors, { simd: false })
  const masks = [
    maskOf(12_000, () => true),
    maskOf(12_000, row => row % 7 !== 0),
    maskOf(12_000, row => row % 7 === 0),
    maskOf(12_000, row => row > 11_990),
  ]
  for (const query of clustered(5, 64, 3)) {
    for (const mask of masks) {
      t.deepEqual(await plain.search(query, 50, mask, budget), await simd.search(query, 50, mask, budget))
    }
  }
})

test('vectors are stored in the established format by WebAssembly and plain JavaScript', t => {
  const next = noise(9)
  const vectors = Array.from({ length: 150 }, (_, i) =>
    Float32Array.from({ length: 90 }, () =>
      i % 3 === 0 ? Math.round(next() * 20) / 8 : next() * 2 ** ((i % 60) - 30),
    ),
  )
  vectors[7]![3] = Number.NaN
  vectors[8]![3] = Number.POSITIVE_INFINITY
  vectors[9]!.fill(0)
  for (const simd of [true, false]) {
    const store = storeOf(vectors, { simd })
    // Overwrites an existing vector.
    store.set(11, vectors[12]!)
    const hash = createHash('sha256')
    for (const { array, width } of store.rowArrays)
      hash.update(new Uint8Array(array.slice(0, vectors.length * width).buffer))
    const rows = Uint32Array.from(vectors, (_, row) => row)
    hash.update(store.coarse.blocksOf(rows, new Uint8Array(rows.length).fill(1)))
    t.is(hash.digest('hex').slice(0, 32), '1eeb2257db8f1978c17eae791675c4b9')
  }
})

test('concurrent searches find the same as alone, while vectors are added', async t => {
  const vectors = clustered(13_000, 64, 5)
  const store = storeOf(vectors.slice(0, 12_000))
  const everything = maskOf(12_000, () => true)
  const queries = clustered(12, 64, 6)
  const alone = []
  for (const query of queries) alone.push(await store.search(query, 20, everything, budget))
  const staggered = queries.map(async (query, i) => {
    for (let turn = 0; turn < i; turn++) await new Promise(setImmediate)
    return store.search(query, 20, everything, new LoopBudget(0))
  })
  for (let row = 12_000; row < 13_000; row++) {
    store.set(row, vectors[row]!)
    if (row % 50 === 0) await new Promise(setImmediate)
  }
  t.deepEqual(await Promise.all(staggered), alone)
})

test('a mask restricts the scan, however few rows pass', async t => {
  const vectors = clustered(5000, 32, 4)
  const store = storeOf(vectors)
  for (const share of [1, 2, 10, 1000]) {
    const hits = await store.search(
      vectors[0]!,
      5000,
      maskOf(5000, row => row % share === 0),
      budget,
    )
    t.is(hits.rows.length, Math.ceil(5000 / share))
    t.true(hits.rows.every(row => row % share === 0))
  }
  const none = await store.search(
    vectors[0]!,
    10,
    maskOf(5000, () => false),
    budget,
  )
  t.deepEqual(pairsOf(none), [])
})

test('removed vectors are not found, and a zero vector scores 0', async t => {
  const store = storeOf([new Float32Array([1, 0]), new Float32Array([0, 0]), new Float32Array([-1, 0])])
  const everything = maskOf(3, () => true)
  const query = new Float32Array([2, 0])
  const scores = await store.search(query, 10, everything, budget)
  t.deepEqual(
    pairsOf(scores).map(([row, score]) => [row, Math.round(score * 1000) / 1000]),
    [
      [0, 1],
      [1, 0],
      [2, -1],
    ],
  )
  store.remove(0)
  store.remove(0)
  t.is(store.count, 2)
  t.deepEqual((await store.search(query, 1, everything, budget)).rows[0], 1)
})

test('values that are not finite numbers are harmless', async t => {
  const store = storeOf([new Float32Array([Number.NaN, 1]), new Float32Array([Number.POSITIVE_INFINITY, 1])])
  const hits = await store.search(
    new Float32Array([1, 1]),
    10,
    maskOf(2, () => true),
    budget,
  )
  t.deepEqual(pairsOf(hits), [
    [0, 0],
    [1, 0],
  ])
})

test('vectors with no or too many dimensions are refused', t => {
  for (const dimensions of [0, -1, 1.5, 8193]) {
    t.throws(() => new VectorStore(dimensions), { instanceOf: RangeError })
  }
})
