import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('the status of storage names the file, and a check of it passes', async t => {
  const { call, paths, remember } = await startDaemon(t)
  await remember('the deploy runs on Tuesdays')
  const { body } = await call('GET /api/storage')
  t.like(body, { kind: 'file', place: paths.database, server: null })
  t.true((body.bytes ?? 0) > 100_000)
  t.is(body.schema.applied, body.schema.known)
  const { body: checked } = await call('POST /api/storage/check', { body: {} })
  t.deepEqual([checked.usable, checked.checks.map(({ severity }) => severity)], [true, ['ok']])
  const { storage } = (await call('GET /api/status')).body
  t.is(storage.server, undefined)
})

test('a check of a server says what is wrong with its address', async t => {
  const { call } = await startDaemon(t)
  const gone = await call('POST /api/storage/check', {
    body: { to: 'postgres://me:hidden-word@127.0.0.1:1/m' },
  })
  t.false(gone.body.usable)
  t.is(gone.body.place, 'schema memory of m on 127.0.0.1:1')
  t.regex(gone.body.checks[0]?.evidence ?? '', /ECONNREFUSED/)
  t.false(JSON.stringify(gone.body).includes('hidden-word'))
  t.is((await call('POST /api/storage/check', { body: { to: 'NO_SUCH_SECRET' } })).status, 404)
  t.is((await call('POST /api/storage/check', { body: { to: 'http://127.0.0.1/' } })).status, 400)
})
