import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, type OwnServer, ownDatabase, ownServer, postgresUrl } from '../../../helpers/postgres.js'

/** A small file system for a database; undefined where this user may not mount one. */
async function smallDatabase(t: ExecutionContext, { url, folder }: OwnServer): Promise<string | undefined> {
  const place = join(folder, 'small')
  mkdirSync(place)
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', place], { reject: false })
  if (mounted.exitCode !== 0) return undefined
  t.teardown(() => execa('umount', ['-l', place], { reject: false }))
  const { uid, gid } = statSync(join(folder, 'data'))
  chownSync(place, uid, gid)
  await askServer(url, `CREATE TABLESPACE small LOCATION '${place}'`)
  await askServer(url, 'CREATE DATABASE small TEMPLATE template0 TABLESPACE small')
  const small = new URL(url)
  small.pathname = '/small'
  return small.href
}

const remember = ({ call }: TestDaemon, content: string) =>
  call('POST /api/memory/remember', { body: { content } })

/** A text that needs new pages of the database. */
const longText = (): string => `crane ${randomBytes(20_000).toString('hex')}`

test('a full disk of the server is 507, reading goes on, and writing does once there is room', async t => {
  const server = await ownServer(t)
  const postgres = server && (await smallDatabase(t, server))
  if (!postgres) return t.log('skipped: no programs of a server, or no right to mount a small disk')
  const daemon = await startDaemon(t, { settings: { storage: { postgres } } })
  const id = await daemon.remember('the deploy runs on Tuesdays')
  const fill = `CREATE TABLE IF NOT EXISTS filler (bytes text);
    INSERT INTO filler SELECT repeat('x', 1900) FROM generate_series(1, $rows)`
  for (const rows of [2000, 200, 20, 1])
    while (
      await askServer(postgres, fill.replace('$rows', String(rows))).then(
        () => true,
        error => {
          t.is((error as { code?: string }).code, '53100')
        },
      )
    );
  const full = await until(async () => {
    const reply = await remember(daemon, longText())
    return reply.status === 200 ? undefined : reply
  })
  t.deepEqual([full.status, full.body.code], [507, 'insufficient_storage'])
  t.regex(
    full.body.error ?? '',
    /disk of the database server is full: nothing was changed; free space on that/,
  )
  t.deepEqual(await daemon.recall('deploy'), [id])
  await askServer(postgres, 'DROP TABLE filler')
  t.is((await remember(daemon, longText())).status, 200)
})

test('a server that became read-only is 507, and recall of a session goes on', async t => {
  const postgres = await ownDatabase(t)
  const daemon = await startDaemon(t, { settings: { storage: { postgres } } })
  const id = await daemon.remember('the deploy runs on Tuesdays')
  const name = new URL(postgres).pathname.slice(1)
  // This database would refuse to become writable again.
  const become = (readOnly: 'on' | 'off') =>
    askServer(
      postgresUrl as string,
      `ALTER DATABASE ${name} SET default_transaction_read_only TO ${readOnly}`,
    )
  await become('on')
  await askServer(
    postgresUrl as string,
    `SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  const refused = await remember(daemon, 'a second memory')
  t.deepEqual([refused.status, refused.body.code], [507, 'insufficient_storage'])
  t.regex(refused.body.error ?? '', /accepts no changes/)
  const { status, body } = await daemon.call('POST /api/memory/recall', {
    body: { query: 'deploy', sessionKey: 'a session' },
  })
  t.is(status, 200)
  t.deepEqual(
    body.results.map(row => row.id),
    [id],
  )
  await become('off')
  // The recall may have opened a connection before. The next write that fails gives that up.
  t.true([200, 507].includes((await remember(daemon, 'a second memory')).status))
  t.is((await remember(daemon, 'a second memory')).status, 200)
})
