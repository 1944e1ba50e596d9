// runs: in turn

import test from 'ava'
import { Purges } from '../../../../../../src/daemon/knowledge/sources/core/purges.js'
import { deferred } from '../../../../../../src/lib/concurrency/deferred.js'

test('a stopping daemon waits for the search for removed sources, which then ends', async t => {
  const looked = deferred<{ id: string }[]>()
  const after: string[] = []
  const tables = {
    sources: {
      removed: () => looked.promise,
      load: async (id: string) => {
        after.push(id)
      },
    },
    sourceArtifacts: { sourcesWithRemoved: async () => [] },
  }
  const log = { warn: (_: object, message: string) => after.push(message) }
  const purges = new Purges({ store: { tables }, log } as unknown as ConstructorParameters<typeof Purges>[0])
  purges.start()
  const closing = purges.close().then(() => after.push('closed'))
  await new Promise(setImmediate)
  t.deepEqual(after, [])
  looked.resolve([{ id: 'a' }])
  await closing
  t.deepEqual(after, ['closed'])
})
