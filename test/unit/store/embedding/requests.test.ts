import test from 'ava'
import { createQueryCache } from '../../../../src/store/embedding/requests.js'

test('the cache drops the least recently used entry', t => {
  const cache = createQueryCache(2)
  cache.set('a', Float32Array.of(1))
  cache.set('b', Float32Array.of(2))
  t.deepEqual(cache.get('a'), Float32Array.of(1))
  cache.set('c', Float32Array.of(3))
  t.is(cache.get('b'), undefined)
  t.deepEqual(cache.get('a'), Float32Array.of(1))
  t.deepEqual(cache.get('c'), Float32Array.of(3))
})

test('changing a returned or stored vector does not change the cache', t => {
  const cache = createQueryCache(2)
  const vector = Float32Array.of(1)
  cache.set('a', vector)
  vector[0] = 5
  cache.get('a')!.fill(7)
  t.deepEqual(cache.get('a'), Float32Array.of(1))
})
