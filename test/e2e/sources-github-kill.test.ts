import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { startGithub } from '../helpers/github-fake.js'
import { minute } from '../helpers/github-fake-repo.js'
import { openRaw } from '../helpers/store.js'

const kills = 20
const items = 700
const comments = 500
const docs = 60

test('twenty kills while repositories are indexed leave the rows that there are without any, each once', async t => {
  const repo = {
    items: Array.from({ length: items }, (_, at) => ({ number: at + 1, isPull: at % 3 === 0 })),
    comments: Array.from({ length: comments }, (_, at) => ({
      id: 10_000 + at,
      number: at + 1,
      updatedAt: minute(at),
    })),
    files: Object.fromEntries(
      Array.from({ length: docs }, (_, at) => [`docs/${at}.md`, `# Page ${at}\n\nText.`]),
    ),
  }
  const github = await startGithub(t, { 'octo/site': repo })
  const workspace = temporaryWorkspace(t)
  const sources = { coderepo: { apiBaseUrl: github.base } }
  writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' }, sources }))
  const first = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
  const { url } = await first.ready()
  await fetch(`${url}/api/sources/coderepo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ repos: ['octo/site'] }),
  })
  const raw = openRaw(t, workspacePaths(workspace).database)
  const rows = raw.prepare('SELECT count(*) FROM source_artifacts WHERE removed = 0').pluck()
  const total = items + comments + docs
  let running = first
  for (let kill = 1; kill <= kills; kill++) {
    const wanted = Math.floor((total * kill) / (kills + 2))
    while ((rows.get() as number) < wanted) await nextTurn()
    running.child.kill('SIGKILL')
    await running.exited
    running = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
    await running.ready()
  }
  const status = raw.prepare('SELECT status FROM source_index_jobs').pluck()
  await until(async () => (status.get() === 'complete' ? true : undefined), 120_000)
  t.is(rows.get(), total)
  const paths = raw.prepare('SELECT path FROM source_artifacts WHERE removed = 0 ORDER BY path').pluck()
  t.is(new Set(paths.all()).size, total)
  const chunks = raw.prepare('SELECT count(*), count(DISTINCT artifact_id) FROM source_chunks').raw()
  t.deepEqual(chunks.get(), [total, total])
  const partial = raw.prepare('SELECT count(*) FROM source_checkpoints WHERE partial = 1').pluck()
  t.is(partial.get(), 0)
})
