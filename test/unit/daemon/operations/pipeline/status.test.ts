import test from 'ava'
import { ownCaller } from '../../../../../src/daemon/ground/visibility/caller.js'
import { statusOf } from '../../../../../src/daemon/operations/pipeline/status.js'
import { startDaemon } from '../../../../helpers/daemon.js'

test('queues are reported empty while the daemon stops (operations.md 6.1)', async t => {
  const { daemon } = await startDaemon(t)
  const told = await statusOf(
    { ...daemon, isStopping: () => true, isAtWork: () => false },
    ownCaller(daemon, 'test'),
  )
  t.deepEqual(told.queues, { memory: {}, summary: {}, capture: {}, document: {}, source: {}, import: {} })
  t.false(told.workers.document?.running)
})
