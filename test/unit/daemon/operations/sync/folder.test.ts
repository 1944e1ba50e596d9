import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { folderTransport } from '../../../../../src/daemon/operations/sync/transports/folder.js'
import { syncFolder } from '../../../../helpers/sync.js'
import { testTransport } from '../../../../helpers/transport-suite.js'

testTransport('folder', async t => {
  const folder = syncFolder(t)
  return {
    one: folderTransport(folder),
    two: folderTransport(folder),
    // A kill before the rename.
    cutPut: async (name, bytes) => {
      const half = join(folder, 'memory-sync', `${name}.0f0f0f0f-0000-0000-0000-000000000000.tmp`)
      mkdirSync(dirname(half), { recursive: true })
      writeFileSync(half, bytes.subarray(0, bytes.length / 2))
      rmSync(half)
    },
  }
})

test('a folder that is not there is named as absent', async t => {
  const folder = syncFolder(t)
  rmSync(folder, { recursive: true })
  for (const work of [
    (one: ReturnType<typeof folderTransport>) => one.list(),
    (one: ReturnType<typeof folderTransport>) => one.put('a/b/c', Buffer.from('x')),
  ])
    await t.throwsAsync(work(folderTransport(folder)), { name: 'TransportFault', message: /is not there/u })
})
