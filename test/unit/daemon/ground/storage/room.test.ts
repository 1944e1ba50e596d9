import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { pino } from 'pino'
import { createRoom } from '../../../../../src/daemon/ground/storage/room.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

const full = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

function openRoom(t: Parameters<typeof temporaryWorkspace>[0], folder = temporaryWorkspace(t)) {
  const looks: (() => void)[] = []
  const timers = {
    after: () => () => undefined,
    every: (_ms: number, work: () => void) => {
      looks.push(work)
      return () => void looks.splice(looks.indexOf(work), 1)
    },
  }
  const room = createRoom({ folder, log: pino({ level: 'silent' }), timers })
  t.teardown(() => room.close())
  return { room, folder, looks }
}

test('a failed write is a problem until a check finds space, and recovery is reported once', async t => {
  const { room, looks, folder } = openRoom(t)
  let recovered = 0
  room.onRecovered(() => recovered++)
  t.is(room.problem(), undefined)
  t.true(room.note(full()))
  t.is(room.problem(), 'the disk is full')
  for (const look of [...looks, ...looks]) look()
  await until(() => room.problem() === undefined)
  t.deepEqual([recovered, looks.length], [1, 0])
  t.deepEqual(readdirSync(folder), [], 'what was written to see whether there is room is gone')
})

test('other errors are not disk problems', async t => {
  const { room } = openRoom(t)
  t.false(room.note(new Error('something else')))
  t.is(await room.look(), undefined)
})

test('a check that cannot write keeps the problem', async t => {
  const folder = join(temporaryWorkspace(t), 'gone')
  mkdirSync(folder)
  const { room } = openRoom(t, folder)
  room.note(full())
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  t.is(await room.look(), 'the disk is full')
})
