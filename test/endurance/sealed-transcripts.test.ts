import { existsSync, rmSync } from 'node:fs'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { exportedLine, importText } from '../helpers/transcript-imports.js'

/** Messages of one chunk each; together more than fit into memory before a segment is sealed. */
const messages = 100
const conversations = 42
const filler = 'crane '.repeat(230)

test('conversations beyond the in-memory part are found on disk, also after a restart (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const lines = Array.from({ length: conversations }, (_, n) =>
    exportedLine(
      `s${n}`,
      Array.from({ length: messages }, (_, at) => `number${n} place${at} ${filler}`),
    ),
  )
  const { state, sourceId } = await importText(daemon, { text: lines.join('\n') })
  t.is(state, 'completed')
  await until(() => existsSync(daemon.paths.transcriptSegments) || undefined)
  await until(async () => (await found(daemon, `number${conversations - 1}`))[0] === `s${conversations - 1}`)
  t.deepEqual(await found(daemon, 'number1'), ['s1'], 'from a segment')
  t.deepEqual(await found(daemon, `number${conversations - 1}`), [`s${conversations - 1}`], 'from memory')
  t.is((await found(daemon, 'place7', 20)).length, 20)
  await daemon.stop()

  rmSync(daemon.paths.transcriptSnapshot)
  const again = await startDaemon(t, { workspace: daemon.paths.root })
  await until(async () => (await found(again, `number${conversations - 1}`))[0] === `s${conversations - 1}`)
  t.deepEqual(await found(again, 'number1'), ['s1'])
  const removed = await again.call('DELETE /api/sources/:sourceId', {
    params: { sourceId: sourceId as string },
  })
  t.true([200, 202].includes(removed.status))
  // A purge that takes longer than the request continues after its answer.
  await until(async () => (await found(again, 'crane')).length === 0)
})

async function found({ call }: TestDaemon, query: string, limit = 1): Promise<string[]> {
  const { body } = await call('POST /api/sessions/search', { body: { query, limit } })
  return body.hits.map(({ sessionKey }) => sessionKey)
}
