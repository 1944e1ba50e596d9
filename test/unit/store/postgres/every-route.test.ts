// runs: alone

import test, { type ExecutionContext } from 'ava'
import { endpoints } from '../../../../src/contract/api.js'
import { callEveryRoute, settingsWithVectors } from '../../../helpers/call-every-route.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { ownDatabase } from '../../../helpers/postgres.js'

/** Archives of a workspace are for files (postgres.md#backup-and-purge). */
const forFiles = [
  'POST /api/backup: 201, on a server 501 not_implemented',
  'POST /api/backup/:id/verify: 200, on a server 400 validation_failed',
  'POST /api/backup/:id/restore: 200, on a server 400 validation_failed',
  'POST /api/backup/restore: 200, on a server 422 backup_invalid',
]

/** How each route answers to all its calls; each success has the form of the contract. */
async function answersOf(t: ExecutionContext, storage: object) {
  const daemon = await startDaemon(t, {
    settings: { ...(await settingsWithVectors(t)), telemetry: { memorySearchQaEnabled: true }, storage },
  })
  const answers = new Map<string, Set<string>>()
  const counted = { calls: 0 }
  const call: TestDaemon['call'] = async (address, request) => {
    const reply = await daemon.call(address, request)
    const known = answers.get(address) ?? new Set()
    const { status, body } = reply
    answers.set(address, known.add(status < 400 ? `${status}` : `${status} ${body.code}`))
    counted.calls++
    return reply
  }
  await callEveryRoute(t, { ...daemon, call })
  const place = daemon.daemon.store.server?.place
  await daemon.stop()
  return { ...counted, place, answers }
}

test('every route answers on a server as it does on a file', async t => {
  const file = await answersOf(t, {})
  const server = await answersOf(t, { postgres: await ownDatabase(t) })
  t.is(file.place, undefined)
  t.regex(server.place ?? '', /^schema memory of test_/)
  t.log(`${server.answers.size} of ${endpoints.length} routes, ${server.calls} calls`)
  t.true(server.answers.size > 280)
  const words = (answers: ReadonlySet<string> | undefined): string => [...(answers ?? [])].sort().join()
  const others = [...file.answers].flatMap(([address, onFile]) => {
    const here = words(server.answers.get(address))
    return here === words(onFile) ? [] : [`${address}: ${words(onFile)}, on a server ${here}`]
  })
  t.deepEqual(others, forFiles)
})
