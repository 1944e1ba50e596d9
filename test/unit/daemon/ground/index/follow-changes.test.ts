import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import pino from 'pino'
import { followChanges } from '../../../../../src/daemon/ground/index/follow-changes.js'
import type { Store } from '../../../../../src/store/store.js'
import { until } from '../../../../helpers/daemon-process.js'

test('notices that follow each other share looks at the database, and none is left out', async t => {
  const database = { change: 0, looks: 0 }
  const tables = {
    meta: {
      lastChange: async () => 0,
      news: async () => {
        database.looks++
        return { change: database.change, settings: 0 }
      },
    },
    history: { newest: async () => 0, deletedIn: async () => [] },
  } as unknown as Store['tables']
  const index = { catchUp: async () => undefined, remove: () => undefined }
  let hear = (_: number): void => undefined
  const followed = followChanges({
    store: { tables },
    changes: {
      committed: () => 0,
      listen: given => {
        hear = given
      },
    },
    memories: index,
    others: [],
    onSettings: async () => undefined,
    onChange: async () => undefined,
    onLost: why => t.fail(why),
    log: pino({ enabled: false }),
  })
  t.teardown(followed.close)
  await followed.start()
  const notices = 40
  while (database.change < notices) {
    hear(++database.change)
    await nextTurn()
    await nextTurn()
  }
  await until(() => followed.applied() === notices)
  t.true(database.looks < notices / 2, `${database.looks} looks`)
})
