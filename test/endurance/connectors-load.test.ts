import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { connect, notesFolder } from '../helpers/connectors.js'
import { cpuMsOfTurns } from '../helpers/cpu-time.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'

const files = 1000

test.serial(`${files} files are synced without blocking other requests`, async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(
    t,
    Object.fromEntries(Array.from({ length: files }, (_, n) => [`${n % 3}/${n}.md`, `note ${n}`])),
  )
  const id = await connect(daemon, root)
  const turns = await cpuMsOfTurns(sync(daemon, id))
  t.log(`turns ${turns.slice(-5).map(ms => ms.toFixed(0))} ms`)
  // Threads that copy the log and collect garbage also count as processor time, so a few turns look long.
  t.true((turns.at(-6) ?? 0) < 50, `${turns.at(-6)} ms`)
  t.true((turns.at(-1) ?? 0) < 250, `${turns.at(-1)} ms`)
})

async function sync({ call }: TestDaemon, id: string): Promise<void> {
  const params = { id }
  await call('POST /api/connectors/:id/sync', { params })
  while ((await call('GET /api/connectors/:id', { params })).body.status === 'syncing') await delay(20)
}
