import test from 'ava'
import { formatBytes } from '../../../../src/lib/text/count-of.js'

test('bytes are readable', t => {
  t.deepEqual([0, 1023, 1024, 12_900_000, 5e12].map(formatBytes), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '12.3 MiB',
    '4.5 TiB',
  ])
})
