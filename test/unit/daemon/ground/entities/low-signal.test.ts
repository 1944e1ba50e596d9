import test from 'ava'
import { isGenericName } from '../../../../../src/daemon/ground/entities/low-signal.js'

test('generic words and numbers are not useful names (operations.md 5.6)', t => {
  for (const name of ['it', 'The System', 'users', 'these things', '2024', 'version 2', '...', 'Next Week'])
    t.true(isGenericName(name), name)
  for (const name of [
    'Orama',
    'checkout service',
    'Ana',
    'C++',
    'C',
    'user-service v2 alpha',
    '東京',
    'das System x',
  ])
    t.false(isGenericName(name), name)
})
