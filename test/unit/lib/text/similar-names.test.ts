import test from 'ava'
import { similarNames } from '../../../../src/lib/text/similar-names.js'

test('the nearest names come first, and distant ones are left out', t => {
  t.deepEqual(similarNames('statsu', ['status', 'start', 'stop', 'embedding']), ['status'])
  t.deepEqual(similarNames('daemon sto', ['daemon stop', 'daemon run', 'status']), [
    'daemon stop',
    'daemon run',
  ])
  t.deepEqual(similarNames('zzz', ['status', 'start']), [])
})
