// runs: in turn

import test from 'ava'
import { dayMs } from '../../src/lib/time/time.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { startDaemon } from '../helpers/daemon.js'

test('an expired memory is out of recall and session start, and list --expired shows it', async t => {
  const { call, recall } = await daemonHere(t)
  const saved = (
    await runHere(t, ['remember', 'the old VPN runs until the move', '--expires', '90d', '--json'])
  ).json()
  const { body } = await call('GET /api/memory/:id', { params: { id: saved.id } })
  const days = (Date.parse(body.expires_at ?? '') - Date.now()) / dayMs
  t.true(days > 89.9 && days < 90.1)
  t.deepEqual(await recall('old VPN'), [saved.id])
  const expiresAt = '2020-01-01T00:00:00.000Z'
  const past = { content: 'the staging password rotates on Mondays', expiresAt }
  const gone = (await call('POST /api/memory/remember', { body: past })).body.id
  const pinned = { content: 'the staging password is in the safe', pinned: true, expiresAt }
  const kept = (await call('POST /api/memory/remember', { body: pinned })).body.id
  t.deepEqual(await recall('staging password'), [kept])
  const start = await call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey: 's1' },
  })
  t.false(JSON.stringify(start.body).includes('rotates on Mondays'))
  t.deepEqual((await runHere(t, ['list', '--expired', '-q'])).stdout.trim(), gone)
  t.regex((await runHere(t, ['remember', 'x y z', '--expires', '2020-01-01'])).stderr, /not in the future/u)
})

test('saving the text again renews an expired memory', async t => {
  const { call, remember, recall } = await daemonHere(t)
  const id = await remember('the fax machine is on floor two', { expiresAt: '2020-01-01T00:00:00.000Z' })
  t.deepEqual(await recall('fax machine'), [])
  t.is(await remember('the fax machine is on floor two'), id)
  t.deepEqual(await recall('fax machine'), [id])
  t.is((await call('GET /api/memory/:id', { params: { id } })).body.expires_at, null)
})

test('settings give what agents save an expiry by type, and a person only what they ask for', async t => {
  const settings = { memory: { expiry: { issue: '30d', fact: 'never' } } }
  const { call } = await startDaemon(t, { settings })
  const save = async (content: string, type: 'issue' | 'fact', harness?: string) => {
    const headers = harness === undefined ? {} : { 'x-service-harness': harness }
    const { body } = await call('POST /api/memory/remember', { body: { content, type }, headers })
    return (await call('GET /api/memory/:id', { params: { id: body.id } })).body.expires_at
  }
  t.truthy(await save('the build is broken on main', 'issue', 'claude-code'))
  t.is(await save('the build takes four minutes', 'fact', 'claude-code'), null)
  t.is(await save('the lift is broken', 'issue'), null)
})

test('a month after it expired a memory is forgotten, and a recovered one stays', async t => {
  const { call, remember } = await daemonHere(t)
  const id = await remember('the beta ends soon', { expiresAt: '2020-01-01T00:00:00.000Z' })
  const recent = await remember('the gamma ends soon', {
    expiresAt: new Date(Date.now() - 9 * dayMs).toISOString(),
  })
  await call('POST /api/repair/retention-sweep', { body: {} })
  t.is((await call('GET /api/memory/:id', { params: { id } })).status, 404)
  t.is((await call('GET /api/memory/:id', { params: { id: recent } })).status, 200)
  t.is((await runHere(t, ['recover', id])).code, 0)
  await call('POST /api/repair/retention-sweep', { body: {} })
  t.is((await call('GET /api/memory/:id', { params: { id } })).body.expires_at, null)
})

test('edit --expires ends a memory, and never takes that back', async t => {
  const { call, remember, recall } = await daemonHere(t)
  const id = await remember('the tunnel to the lab is open')
  const edit = (when: string) => runHere(t, ['edit', id, '--expires', when])
  t.is((await edit('2020-01-01')).code, 2)
  t.is((await edit('90d')).code, 0)
  const at = (await call('GET /api/memory/:id', { params: { id } })).body.expires_at ?? ''
  t.true(Math.abs(Date.parse(at) - Date.now() - 90 * dayMs) < dayMs)
  const past = { expiresAt: '2020-01-01T00:00:00.000Z', reason: 'gone' }
  await call('PATCH /api/memory/:id', { params: { id }, body: past })
  t.deepEqual(await recall('tunnel lab'), [])
  t.is((await edit('never')).code, 0)
  t.deepEqual(await recall('tunnel lab'), [id])
  const { body } = await call('GET /api/memory/:id/history', { params: { id } })
  t.is(body.history.length, 4, 'each change has its line in the history')
})

test('review --stale lists what no recall found for half a year, and forgets nothing', async t => {
  const { call, remember, recall } = await daemonHere(t)
  const createdAt = '2024-01-01T00:00:00.000Z'
  const stale = await remember('the old modem has number 4711', { createdAt, importance: 0.3 })
  const used = await remember('the new modem has number 4712', { createdAt })
  await remember('the pinned modem has number 4713', { createdAt, pinned: true })
  await remember('the fresh modem has number 4714')
  t.true((await recall('4712', { limit: 1 })).includes(used))
  const listed = async () => (await runHere(t, ['review', '--stale', '--json'])).json()
  for (let tries = 0; tries < 50 && (await listed()).matching > 1; tries++)
    await new Promise(resolve => setTimeout(resolve, 100))
  const { memories } = await listed()
  t.deepEqual(
    memories.map((one: { id: string }) => one.id),
    [stale],
  )
  t.is((await call('GET /api/memories', {})).body.matching, 4)
})
