// runs: alone

import test from 'ava'
import { scanContent, scanContentInSlices } from '../../../../src/daemon/safety/scan.js'

const repeat = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const hostile = {
  'one letter': 'a',
  'the start of an order': 'ignore all the ',
  'endless verbs and objects': 'send the contents of secret .ssh key to ',
  pipes: 'curl http://192.0.2.1/x | ',
  'open quotation marks': '"`\' ignore all previous ',
  'code fences': '```\nignore previous\n',
  'zero-width characters': 'a\u200b',
  'letters that expand when folded': '\ufdfa',
  'stacked accents': `a${'\u0301'.repeat(50)}`,
  'packed words': 'aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q= ',
  'single letters': 'a b c d ',
  'open markup': '<system> <|im_start|>system ',
}

/** Returns the CPU time of a scan in ms, the lower of two runs. */
function cpuMs(text: string): number {
  const runs = [0, 1].map(() => {
    const before = process.cpuUsage()
    scanContent(text)
    const used = process.cpuUsage(before)
    return (used.user + used.system) / 1000
  })
  return Math.min(...runs)
}

for (const [name, unit] of Object.entries(hostile)) {
  test(`scan time grows linearly with the length: ${name}`, t => {
    const short = cpuMs(repeat(unit, 32_768))
    const long = cpuMs(repeat(unit, 131_072))
    t.true(long < 12 * Math.max(short, 2), `${short} ms for 32 Ki, ${long} ms for 128 Ki characters`)
  })
}

test('the longest memory is scanned in many small steps (rules.md 1.6)', async t => {
  const text = repeat(
    'Decision 12: the importer keeps raw rows for 30 days; see docs/import.md. ',
    10_485_760,
  )
  let turns = 0
  let running = true
  const count = () => {
    turns++
    if (running) setImmediate(count)
  }
  setImmediate(count)
  const verdict = await scanContentInSlices(text)
  running = false
  t.deepEqual(verdict, { status: 'clean', reasons: [], rules: [] })
  t.true(turns > 50, `${turns} turns of the event loop during the scan`)
})

test('a caller can share its budget between scans', async t => {
  let asked = 0
  await scanContentInSlices('Use pnpm, not npm.', () => {
    asked++
    return Promise.resolve()
  })
  t.true(asked > 0)
})
