import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { pidAfter, watchConnections } from '../../../../src/store/postgres/watch.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

/** Watched connections behind a proxy; each sends its name first. */
async function watched(t: ExecutionContext) {
  const url = await ownDatabase(t, { empty: true })
  const proxy = await startProxy(t, url)
  const watch = watchConnections({ url: proxy.url, schema: 'memory' })
  t.teardown(() => watch.close())
  const connect = async (name: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: proxy.url })
    client.on('error', () => undefined)
    await client.connect()
    watch.add(client, await pidAfter(client, `SELECT '${name}'`))
    t.teardown(() => client.end())
    return client
  }
  return { url, proxy, connect }
}

const ended = /^Connection terminated/u

test('a connection that hangs ends within seconds, and one whose statement is slow goes on', async t => {
  const { proxy, connect } = await watched(t)
  const [slow, hung] = [await connect('slow'), await connect('hung')]
  const answer = slow.query<{ slept: string }>("SELECT pg_sleep(8), 'well' AS slept")
  t.is(proxy.hang("'hung'"), 1)
  await t.throwsAsync(hung.query('SELECT 1'), { message: ended })
  t.is((await answer).rows[0]?.slept, 'well')
  t.is((await slow.query('SELECT 1')).rowCount, 1)
})

test('a statement that waits for a lock goes on', async t => {
  const { connect } = await watched(t)
  const [first, second] = [await connect('first'), await connect('second')]
  await first.query('SELECT pg_advisory_lock(1)')
  const locked = second.query('SELECT pg_advisory_lock(1)')
  await delay(5000)
  await first.query('SELECT pg_advisory_unlock(1)')
  t.is((await locked).rowCount, 1)
})

test('connections that only wait are found to hang too, also one that is about to end', async t => {
  const { proxy, connect } = await watched(t)
  const names = ['listening', 'leaving']
  const [listening, leaving] = await Promise.all(names.map(connect))
  const end = new Promise<void>(resolve => void listening?.once('end', resolve))
  t.is(proxy.hang("SELECT '"), 2)
  await Promise.all([leaving?.end(), end])
  t.pass()
})

test('a connection whose process the server ended unheard is given up', async t => {
  const { url, proxy, connect } = await watched(t)
  const hung = await connect('hung')
  proxy.hang("'hung'")
  await askServer(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  )
  await t.throwsAsync(hung.query('SELECT 1'), { message: ended })
})
