// runs: alone

import test from 'ava'
import { timestamp } from '../../../src/contract/ground/fields.js'

for (const [given, stored] of [
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-01-31T09:00', '2026-01-31T09:00:00.000Z'],
  ['2026-01-31 09:00:05', '2026-01-31T09:00:05.000Z'],
  ['2026-01-31T09:00:00.25Z', '2026-01-31T09:00:00.250Z'],
  ['2026-01-31 09:00+02:00', '2026-01-31T07:00:00.000Z'],
  ['2026-01-31T09:00:00-0330', '2026-01-31T12:30:00.000Z'],
] as const)
  test.serial(`${given} is stored as ${stored} in any time zone (rules.md 2.1)`, t => {
    const { TZ } = process.env
    t.teardown(() => {
      if (TZ === undefined) delete process.env.TZ
      else process.env.TZ = TZ
    })
    process.env.TZ = 'America/New_York'
    t.is(timestamp.parse(given), stored)
  })

for (const given of [
  '2026-02-31',
  '2026-02-29',
  '2026-04-31T09:00:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-01-31T25:00:00Z',
  '2026-01-31T09:60:00Z',
  '2026-01-31T09:00:00+99:00',
  'yesterday',
  // In UTC these have years with more digits, which would sort before all others.
  '9999-12-31T23:59:59-05:00',
  '0000-01-01T00:00:00+05:00',
])
  test(`${given} is not a timestamp (rules.md 2.1)`, t => {
    t.false(timestamp.safeParse(given).success)
  })
