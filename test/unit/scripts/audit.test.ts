import test from 'ava'
import { advisoriesOf, faultsOf, isAllowed } from '../../../scripts/audit.js'

test('a licence that is missing or not allowed, a missing checksum and an unencrypted source are faults', t => {
  const packages = {
    '': {},
    'node_modules/good': {
      license: '(MIT OR GPL-3.0)',
      integrity: 'sha512-x',
      resolved: 'https://r/good.tgz',
    },
    'node_modules/a/node_modules/bad': { license: 'GPL-3.0', resolved: 'http://r/bad.tgz' },
    'node_modules/silent': { integrity: 'sha512-x' },
  }
  t.deepEqual(faultsOf({ packages }), [
    'bad: has the licence GPL-3.0',
    'bad: has no checksum',
    'bad: comes from http://r/bad.tgz',
    'silent: names no licence',
  ])
})

test('an expression is allowed if one side of an OR or both sides of an AND are', t => {
  t.true(isAllowed('MIT OR GPL-3.0'))
  t.false(isAllowed('MIT AND GPL-3.0'))
  t.false(isAllowed('LGPL-3.0-or-later'))
  t.true(isAllowed('Apache-2.0 AND LGPL-3.0-or-later', { dev: true }))
})

test('grave vulnerabilities are faults; a registry that does not answer is none', t => {
  const found = {
    a: { name: 'a', severity: 'high', range: '<2' },
    b: { name: 'b', severity: 'low', range: '*' },
  }
  t.deepEqual(advisoriesOf(JSON.stringify({ vulnerabilities: found })), {
    faults: ['a <2: high vulnerability'],
  })
  t.deepEqual(advisoriesOf('{"message":"405 Method Not Allowed"}'), {
    faults: [],
    unanswered: '405 Method Not Allowed',
  })
  for (const output of ['', 'null', '<html>', '{}'])
    t.deepEqual(advisoriesOf(output), { faults: [], unanswered: 'no answer' })
})
