import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { collectGarbage, IdleRests } from '../../../../src/lib/v8/collect-garbage.js'

test('unreferenced objects are collected at once', async t => {
  const dropped = new WeakRef({ text: 'nobody holds this' })
  t.truthy(dropped.deref())
  // A weak reference that was read keeps its target alive until the turn ends.
  await delay(0)
  collectGarbage()
  t.is(dropped.deref(), undefined)
  t.is((globalThis as { gc?: unknown }).gc, undefined)
})

function openRests() {
  const seen = { now: 0, rests: 0 }
  const rests = new IdleRests({ rest: () => seen.rests++, now: () => seen.now })
  const pass = (seconds: number): number => {
    for (let second = 0; second < seconds; second++) {
      seen.now += 1000
      rests.look()
    }
    return seen.rests
  }
  return { rests, pass }
}

test('the daemon rests after half a minute without work, and a few times more', t => {
  const { pass } = openRests()
  t.is(pass(29), 0)
  t.is(pass(1), 1)
  t.is(pass(29), 1)
  t.is(pass(1), 2)
  t.is(pass(120), 6)
})

test('it does not rest again until there is new work', t => {
  const { rests, pass } = openRests()
  t.is(pass(86_400), 6)
  rests.worked()
  t.is(pass(29), 6)
  t.is(pass(1), 7)
})

test('work postpones the rest', t => {
  const { rests, pass } = openRests()
  for (let call = 0; call < 100; call++) {
    t.is(pass(20), 0)
    rests.worked()
  }
})
