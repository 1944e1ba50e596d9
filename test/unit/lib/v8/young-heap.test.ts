// runs: alone

import { cachedDataVersionTag, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import test from 'ava'
import { collectGarbage } from '../../../../src/lib/v8/collect-garbage.js'
import { limitYoungHeap, withUsualGrowth } from '../../../../src/lib/v8/young-heap.js'

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

growsByItself('the young generation shrinks back and stays small', async t => {
  t.teardown(() => {
    setFlagsFromString('--semi-space-growth-factor=2')
    setFlagsFromString('--min-semi-space-size=0')
  })
  const usual = cachedDataVersionTag()
  growHeap()
  t.true(youngMb() > 16)
  t.true(await limitYoungHeap())
  const limited = cachedDataVersionTag()
  t.not(limited, usual)
  withUsualGrowth(() => t.is(cachedDataVersionTag(), usual, 'V8 takes code caches of now at a start'))
  t.is(cachedDataVersionTag(), limited)
  t.is(youngMb(), 16)
  growHeap()
  t.is(youngMb(), 16)
})
