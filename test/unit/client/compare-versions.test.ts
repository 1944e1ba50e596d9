import test from 'ava'
import { compareVersions } from '../../../src/client/compare-versions.js'

test('numbers are compared as numbers', t => {
  t.true(compareVersions('0.10.0', '0.9.9') > 0)
  t.true(compareVersions('1.0.0', '1.0.1') < 0)
  t.is(compareVersions('v1.2.3', '1.2.3+build.5'), 0)
})

test('a pre-release comes before its release and orders by its parts', t => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0',
  ]
  for (let index = 1; index < ordered.length; index++) {
    t.true(compareVersions(ordered[index]!, ordered[index - 1]!) > 0, ordered[index])
    t.true(compareVersions(ordered[index - 1]!, ordered[index]!) < 0, ordered[index])
  }
})

test('a version that is none counts as the oldest', t => {
  t.true(compareVersions('0.0.1', 'unknown') > 0)
})
