import test from 'ava'
import fc from 'fast-check'
import { checkShape } from '../../../../../../src/daemon/platform/http/bodies/json-shape.js'
import { runToEnd } from '../../../../../../src/lib/concurrency/every-few-ms.js'

const check = (json: string) => runToEnd(checkShape(Buffer.from(json)))
const refused = (message: RegExp) => ({ code: 'validation_failed', message }) as never

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',')}}`

test('any JSON of ordinary size passes, whatever its strings contain', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), json => {
        check(json)
        return true
      }),
    ),
  )
})

test('the content of strings is not counted', t => {
  const text = JSON.stringify({ content: '[{",\\"'.repeat(200_000), more: `\\${'['.repeat(300)}\\` })
  t.notThrows(() => check(text))
})

test('100 levels of nesting pass, 101 do not', t => {
  const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
  t.notThrows(() => check(nested(100)))
  t.throws(() => check(nested(101)), refused(/more than 100 levels/))
  t.throws(() => check('{"a":'.repeat(101)), refused(/more than 100 levels/))
  t.notThrows(() => check('[{}],'.repeat(1000)))
})

test('an object of 10,000 members passes, a larger one does not', t => {
  t.notThrows(() => check(keys(10_000)))
  t.throws(() => check(keys(10_001)), refused(/an object of more than 10000 members/))
  t.throws(() => check(`[{"a":1},${keys(10_001)}]`), refused(/an object of more than 10000 members/))
  t.notThrows(() => check(`[${Array.from({ length: 9 }, () => keys(10_000)).join(',')}]`))
})

test('100,000 values pass, more do not, in lists or objects', t => {
  t.notThrows(() => check(`[${'0,'.repeat(99_999)}0]`))
  t.throws(() => check(`[${'0,'.repeat(100_000)}0]`), refused(/more than 100000 values/))
  t.throws(() => check(`[${'[],'.repeat(60_000)}0]`), refused(/more than 100000 values/))
  t.throws(() => check('['.repeat(50).concat('{"a":1},'.repeat(60_000))), refused(/more than 100000 values/))
})

test('the check pauses at least every 64 KiB, even inside a string of escapes', t => {
  for (const json of [`[${' '.repeat(2 ** 20)}]`, `"${'\\"'.repeat(2 ** 19)}"`]) {
    const steps = checkShape(Buffer.from(json))
    let count = 0
    while (!steps.next().done) count++
    t.true(count >= 15, String(count))
  }
})
