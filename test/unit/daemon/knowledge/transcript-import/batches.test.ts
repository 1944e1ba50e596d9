import test from 'ava'
import type { FileRecord } from '../../../../../src/daemon/knowledge/transcript-import/forms/file-records.js'
import { batchesOf } from '../../../../../src/daemon/knowledge/transcript-import/work/judge-batch.js'

const mib = 1024 * 1024

/** @returns the numbers of the first and last record of each batch, and the start of the next one */
async function batchesOfSizes(sizes: readonly number[]) {
  let end = 0
  async function* records(): AsyncGenerator<FileRecord> {
    for (const [at, size] of sizes.entries()) {
      end += size
      yield { number: at + 1, end, size, read: () => ({ rejection: 'malformed_json' }) }
    }
  }
  const batches: { first: number; last: number; next: number }[] = []
  for await (const { records: taken, place } of batchesOf(records()))
    batches.push({ first: taken[0]?.line ?? 0, last: taken.at(-1)?.line ?? 0, next: place.bytes })
  return batches
}

test('a batch has at most 25 records (imports.md#states)', async t => {
  t.deepEqual(await batchesOfSizes(Array.from({ length: 60 }, () => 10)), [
    { first: 1, last: 25, next: 250 },
    { first: 26, last: 50, next: 500 },
    { first: 51, last: 60, next: 600 },
  ])
  t.deepEqual(await batchesOfSizes([]), [])
})

test('a batch has at most 8 MiB, unless a single record is larger', async t => {
  t.deepEqual(await batchesOfSizes([3, 3, 2, 1, 16, 1].map(size => size * mib)), [
    { first: 1, last: 3, next: 8 * mib },
    { first: 4, last: 4, next: 9 * mib },
    { first: 5, last: 5, next: 25 * mib },
    { first: 6, last: 6, next: 26 * mib },
  ])
})
