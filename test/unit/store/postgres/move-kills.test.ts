import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { spawnDaemon } from '../../../helpers/daemon-process.js'
import { type KillableDaemon, startKillable } from '../../../helpers/killable-daemon.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { equalExports, exportedLines } from '../../../helpers/storage-move.js'
import { startProxy, type TcpProxy } from '../../../helpers/tcp-proxy.js'

const memories = 400

/** When a move is killed: as a statement goes to the server, or once something is true on the disk. */
type Moment = { statement: string } | { seen: (paths: ReturnType<typeof workspacePaths>) => boolean }

const settingsName = (text: string) => ({
  seen: ({ settings }: ReturnType<typeof workspacePaths>) => readFileSync(settings, 'utf8').includes(text),
})

const toServer: readonly Moment[] = [
  { statement: 'COMMENT ON SCHEMA' },
  { statement: 'CREATE TABLE last_commit' },
  { statement: 'INSERT INTO "memories"' },
  { statement: 'INSERT INTO "memory_history"' },
  // Reads of what arrived, to compare it.
  { statement: 'FROM "agents"\n     ORDER BY "id" LIMIT' },
  { statement: 'FROM "memories"\n     ORDER BY "id" LIMIT' },
  { statement: 'RENAME TO "team_a"' },
  settingsName('team_a'),
  { seen: ({ database }) => !existsSync(database) },
]

const toFile: readonly Moment[] = [
  { statement: 'FROM "memories"\n     ORDER BY "id" LIMIT' },
  { seen: ({ storageMove }) => existsSync(join(storageMove, 'incoming.db')) },
  { statement: 'FROM "memory_history"' },
  { seen: ({ database }) => existsSync(database) },
  { statement: 'RENAME TO "team_a_moved' },
  { seen: ({ settings }) => !readFileSync(settings, 'utf8').includes('team_a') },
]

/** Starts the daemon for each moment and kills it then. @returns how often it was killed in time */
async function killAt(
  t: ExecutionContext,
  workspace: string,
  { proxy, moments }: { proxy: TcpProxy; moments: readonly Moment[] },
): Promise<number> {
  const paths = workspacePaths(workspace)
  let kills = 0
  for (const moment of moments) {
    const daemon = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
    const state = { isKilled: false, isReady: false }
    const kill = (): void => {
      state.isKilled = true
      daemon.child.kill('SIGKILL')
    }
    if ('statement' in moment) proxy.once(moment.statement, kill)
    else
      void (async () => {
        while (!state.isReady && !moment.seen(paths)) await delay(1)
        if (!state.isReady) kill()
      })()
    await Promise.race([
      daemon.exited,
      daemon.ready().then(
        () => {
          state.isReady = true
        },
        () => undefined,
      ),
    ])
    if (state.isKilled) kills++
    else daemon.child.kill('SIGTERM')
    await daemon.exited
  }
  return kills
}

async function startMove(daemon: KillableDaemon, to: string): Promise<void> {
  const { prepared } = await daemon.post('/api/storage/move', { to, schema: 'team_a' })
  if (prepared !== true) throw new Error('the move was not prepared')
  await daemon.stop('SIGTERM')
}

const phaseOf = async ({ get }: KillableDaemon): Promise<unknown> => {
  const { move } = (await get('/api/storage')) as { move: { phase: string; problem: string | null } }
  return [move.phase, move.problem]
}

test('a move that is killed in each of its phases goes on, both ways, and keeps the old store unchanged', async t => {
  const url = await ownDatabase(t, { empty: true })
  const proxy = await startProxy(t, url)
  const workspace = temporaryWorkspace(t)
  const paths = workspacePaths(workspace)
  mkdirSync(workspace, { recursive: true })
  writeFileSync(paths.settings, 'embedding:\n  provider: none\n')
  const file = await startKillable(t, workspace)
  for (let number = 0; number < memories; number += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        file.post('/api/memory/remember', { content: `crane ${number + place} lifts containers` }),
      ),
    )
  const before = await exportedLines(file)
  t.true(before.length >= memories)

  await startMove(file, proxy.url)
  const there = await killAt(t, workspace, { proxy, moments: toServer })
  const server = await startKillable(t, workspace)
  t.deepEqual(await phaseOf(server), ['moved', null])
  equalExports(t, await exportedLines(server), before)
  const old = join(paths.storageMove, 'memories.db')
  t.is(statSync(old).mode & 0o777, 0o400)
  t.is(await rowsInFile(old), memories)
  await server.post('/api/storage/confirm')
  t.false(existsSync(paths.storageMove))

  await startMove(server, 'sqlite')
  const back = await killAt(t, workspace, { proxy, moments: toFile })
  t.log({ killed: { there, back } })
  t.true(there >= 7, `${there} kills on the way to the server`)
  t.true(back >= 4, `${back} kills on the way back`)
  const again = await startKillable(t, workspace)
  t.deepEqual(await phaseOf(again), ['moved', null])
  equalExports(t, await exportedLines(again), before)
  const [{ nspname: kept } = {}] = await askServer(
    url,
    `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'team%'`,
  )
  t.regex(String(kept), /^team_a_moved_/)
  const changes = await askServer(
    url,
    `SELECT privilege_type FROM information_schema.role_table_grants WHERE table_schema = '${kept}'
      AND privilege_type IN ('INSERT', 'UPDATE', 'DELETE')`,
  )
  t.deepEqual(changes, [])
  t.deepEqual(await askServer(url, `SELECT count(*) FROM ${kept}.memories`), [{ count: String(memories) }])
  await again.stop('SIGTERM')
})

async function rowsInFile(path: string): Promise<number> {
  const bytes = readFileSync(path)
  const copy = `${path}-copy`
  writeFileSync(copy, bytes, { mode: 0o600 })
  const store = openStore(copy, new Date())
  const { copies } = store.tables
  const found = (await copies.tables()).find(({ name }) => name === 'memories')
  const rows = found ? await copies.count(found) : 0
  await store.close()
  return rows
}
