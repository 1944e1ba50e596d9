import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { workspacePaths } from '../../src/lib/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { vaultOf } from '../helpers/sources.js'
import { openRaw } from '../helpers/store.js'

const kills = 20
const notes = 3000

test('twenty kills while a vault is read leave the rows that there are without any, each once', async t => {
  const texts = Array.from({ length: notes }, (_, at) => [
    `${at % 30}/n${at}.md`,
    `# Note ${at}\n\nSee [[n${at + 1}]].`,
  ])
  const root = vaultOf(t, Object.fromEntries(texts))
  const workspace = temporaryWorkspace(t)
  writeFileSync(join(workspace, 'agent.yaml'), 'embedding: { provider: none }\n')
  const first = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
  const { url } = await first.ready()
  await fetch(`${url}/api/sources/notevault`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path: root }),
  })
  const raw = openRaw(t, workspacePaths(workspace).database)
  const rows = raw.prepare('SELECT count(*) FROM source_artifacts WHERE removed = 0').pluck()
  let running = first
  for (let kill = 1; kill <= kills; kill++) {
    const wanted = Math.floor((notes * kill) / (kills + 2))
    while ((rows.get() as number) < wanted) await nextTurn()
    running.child.kill('SIGKILL')
    await running.exited
    running = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
    await running.ready()
  }
  const status = raw.prepare('SELECT status FROM source_index_jobs').pluck()
  await until(async () => (status.get() === 'complete' ? true : undefined), 120_000)
  const paths = raw.prepare('SELECT path FROM source_artifacts WHERE removed = 0').pluck().all() as string[]
  t.deepEqual(paths.sort(), texts.map(([path]) => path as string).sort())
  const chunks = raw
    .prepare('SELECT count(*), count(DISTINCT artifact_id), sum(removed) FROM source_chunks')
    .raw()
  t.deepEqual(chunks.get(), [notes, notes, 0])
  const counts = raw.prepare('SELECT artifacts, chunks, covered, links FROM sources').raw()
  t.deepEqual(counts.get(), [notes, notes, notes, notes - 1])
})
