import test from 'ava'
import { isSameStatement } from '../../../../../../src/daemon/operations/repair/duplicates/is-same-statement.js'

for (const [one, other, same] of [
  ['The user prefers dark mode', 'the user likes dark mode', true],
  ['Deploys go out on Friday.', 'On Friday the deploys go out', true],
  ['The port is 8080', 'The port is 8081', false],
  ['The API listens on port 8080', 'Port 8080 is where the API listens', true],
  ['Ask Ana about billing', 'Ask Ben about billing', false],
  ['we use orama-1.2', 'we use orama-1.3', false],
  ['call getUser first', 'call setUser first', false],
  ['the cache is enabled for reads', 'the cache is disabled for reads', false],
  ['never restart the daemon at night', 'restart the daemon at night', false],
  ['it prints "ready"', 'it prints "done"', false],
] as const)
  test(`${one} | ${other}: ${same ? 'may be duplicates' : 'are distinct'} (operations.md 5.5)`, t => {
    t.is(isSameStatement(one, other), same)
    t.is(isSameStatement(other, one), same)
  })

test('long texts are never duplicates because of their vectors (operations.md 5.5)', t => {
  const long = 'word '.repeat(500)
  t.false(isSameStatement(long, long))
})
