import test from 'ava'
import { nearest } from '../../../../src/cli/shell/nearest.js'

test('the nearest names come first, and far ones never', t => {
  t.deepEqual(nearest('statsu', ['status', 'start', 'stop', 'embedding']), ['status'])
  t.deepEqual(nearest('daemon sto', ['daemon stop', 'daemon run', 'status']), ['daemon stop', 'daemon run'])
  t.deepEqual(nearest('zzz', ['status', 'start']), [])
})
