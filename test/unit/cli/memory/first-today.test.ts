import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { firstToday } from '../../../../src/cli/memory/first-today.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const morning = new Date(2026, 4, 1, 8)
const evening = new Date(2026, 4, 1, 23, 59)
const nextMorning = new Date(2026, 4, 2, 0, 1)

test('a day is told of once, in a folder that need not be there yet', t => {
  const file = join(temporaryWorkspace(t), '.daemon', 'note')
  t.deepEqual(
    [morning, evening, nextMorning, nextMorning].map(now => firstToday(file, now)),
    [true, false, true, false],
  )
  t.is(statSync(file).mode & 0o777, 0o600)
})

test('what cannot be remembered is told again, and fails nothing', t => {
  const folder = temporaryWorkspace(t)
  const file = join(folder, 'note')
  mkdirSync(file)
  chmodSync(folder, 0o500)
  t.teardown(() => chmodSync(folder, 0o700))
  t.true(firstToday(file, morning))
  t.true(firstToday(file, evening))
})
