import test from 'ava'
import { isNewer } from '../../../../src/lib/workspace/version.js'

test('numbers are compared as numbers', async t => {
  t.true(await isNewer('0.10.0', '0.9.9'))
  t.false(await isNewer('1.0.0', '1.0.1'))
})

test('another notation or build of the same version is not newer', async t => {
  t.false(await isNewer('v1.2.3', '1.2.3+build.5'))
  t.false(await isNewer('1.2.3+build.5', 'v1.2.3'))
  t.false(await isNewer('1.2.3', '1.2.3'))
})

test('a pre-release precedes its release and is ordered by its parts', async t => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0',
  ]
  for (let index = 1; index < ordered.length; index++) {
    t.true(await isNewer(ordered[index]!, ordered[index - 1]!), ordered[index])
    t.false(await isNewer(ordered[index - 1]!, ordered[index]!), ordered[index])
  }
})

test('an invalid version counts as the oldest', async t => {
  t.true(await isNewer('0.0.1', 'unknown'))
  t.false(await isNewer('unknown', '0.0.1'))
})
