// runs: alone

import { cachedDataVersionTag, getHeapSpaceStatistics } from 'node:v8'
import test from 'ava'
import { collectGarbage } from '../../../../src/lib/v8/collect-garbage.js'
import { shrinkHeap } from '../../../../src/lib/v8/shrink-heap.js'

function youngMb(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return (young?.space_size ?? 0) / 1024 / 1024
}

/** Creates objects that outlive collections, which makes V8 enlarge the young generation. */
function growHeap(): void {
  for (let round = 0; round < 12; round++) {
    const alive = Array.from({ length: 100_000 }, (_, number) => ({ number, list: [number] }))
    collectGarbage({ type: 'minor' })
    alive.length = 0
  }
}

/** Since Node 26 V8 allocates the young generation page by page and keeps it near this size. */
const growsByItself = Number(process.versions.node.split('.')[0]) < 26 ? test.serial : test.serial.skip

growsByItself('a grown young generation shrinks back, under the same V8 flags', async t => {
  const usual = cachedDataVersionTag()
  growHeap()
  t.true(youngMb() > 16)
  t.true(await shrinkHeap())
  t.true(youngMb() <= 4)
  t.is(cachedDataVersionTag(), usual, 'V8 takes code caches of now at a start')
})
