import test from 'ava'
import { RowIds } from '../../../../../src/store/index/rows/row-ids.js'
import { ExactVectors } from '../../../../../src/store/index/vectors/exact-vectors.js'

/** Creates rows 1 to `count` with vectors by `make`; `reads` lists the ids of each read. */
function exactOf(count: number, dimensions: number, make: (id: string) => Float32Array) {
  const ids = new RowIds()
  const rows = Array.from({ length: count }, (_, i) => ids.assign(`id-${i}`, { reuse: false }))
  const reads: string[][] = []
  const exact = new ExactVectors(dimensions, ids, async wanted => {
    reads.push([...wanted])
    return new Map(wanted.map(id => [id, make(id)]))
  })
  return { exact, rows, reads }
}

const up = Float32Array.of(0, 2)

test('a vector is read once, and again after a change', async t => {
  const stored = { 'id-0': [3, 4], 'id-1': [0, 7], 'id-2': [5, 0] } as Record<string, number[]>
  const { exact, rows, reads } = exactOf(3, 2, id => Float32Array.from(stored[id]!))
  t.deepEqual([...(await exact.cosines(up, rows.slice(0, 2))).values()], [0.8, 1])
  t.deepEqual([...(await exact.cosines(up, rows.slice(1))).values()], [1, 0])
  stored['id-1'] = [4, 3]
  exact.forget(rows[1]!)
  const cosines = await exact.cosines(up, rows)
  t.deepEqual(
    rows.map(row => cosines.get(row)),
    [0.8, 0.6, 0],
  )
  t.deepEqual(reads, [['id-0', 'id-1'], ['id-2'], ['id-1']])
})

test('a vector that changes during a read is not cached', async t => {
  let vector = Float32Array.of(0, 1)
  const ids = new RowIds()
  const row = ids.assign('id', { reuse: false })
  const exact: ExactVectors = new ExactVectors(2, ids, async () => {
    const read = new Map([['id', vector]])
    vector = Float32Array.of(1, 0)
    exact.forget(row)
    return read
  })
  t.is((await exact.cosines(up, [row])).get(row), 1)
  t.is((await exact.cosines(up, [row])).get(row), 0)
})

test('the vectors read longest ago are dropped first', async t => {
  const { exact, rows, reads } = exactOf(4, 500_000, () => new Float32Array(500_000).fill(1))
  const [first, second, third, fourth] = rows as [number, number, number, number]
  const query = new Float32Array(500_000).fill(2)
  for (const row of [first, second, third, first, fourth, second, first])
    t.is((await exact.cosines(query, [row])).get(row), 1)
  t.deepEqual(reads.flat(), ['id-0', 'id-1', 'id-2', 'id-3', 'id-0'])
})

test('a zero vector has cosine 0, and one of another length none', async t => {
  const { exact, rows } = exactOf(2, 2, id => new Float32Array(id === 'id-0' ? 2 : 3))
  t.deepEqual([...(await exact.cosines(up, rows))], [[rows[0]!, 0]])
})
