import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { collectGarbage } from '../../../../src/lib/v8/collect-garbage.js'

test('unreferenced objects are collected at once', async t => {
  const dropped = new WeakRef({ text: 'nobody holds this' })
  t.truthy(dropped.deref())
  // A weak reference that was read keeps its target alive until the turn ends.
  await delay(0)
  collectGarbage()
  t.is(dropped.deref(), undefined)
  t.is((globalThis as { gc?: unknown }).gc, undefined)
})
