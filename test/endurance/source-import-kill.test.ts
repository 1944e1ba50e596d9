import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { importOne } from '../helpers/imports.js'
import { killsOr } from '../helpers/kills.js'
import { openRaw } from '../helpers/store.js'

const kills = killsOr(4)
const sections = 800
const text = Array.from(
  { length: sections },
  (_, n) =>
    `## Section ${n}\n\nThe harbour crane number ${n} lifts containers ${'and more of them '.repeat(20)}`,
).join('\n\n')

test('kills -9 during the import of a file leave all of it or nothing', async t => {
  const workspace = temporaryWorkspace(t)
  writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' } }))
  const start = async () => {
    const running = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
    return { ...running, url: (await running.ready()).url }
  }
  let daemon = await start()
  const raw = openRaw(t, workspacePaths(workspace).database)
  const count = (rows: string) => raw.prepare(`SELECT count(*) FROM ${rows}`).pluck().get() as number
  for (let kill = 1; kill < kills; kill++) {
    const wanted = (kill * 131) % sections
    const reply = importOne(daemon, 'cranes.md', text).catch(() => undefined)
    while (count('sources') === 0 || count('source_chunks') < wanted) await delay(2)
    daemon.child.kill('SIGKILL')
    await Promise.all([daemon.exited, reply])
    daemon = await start()
    const whole = raw.prepare('SELECT id FROM sources WHERE last_indexed_at IS NOT NULL').pluck().get()
    if (whole !== undefined)
      await fetch(`${daemon.url}/api/sources/${encodeURIComponent(String(whole))}`, { method: 'DELETE' })
    // Removed chunks stay marked until the index has processed them.
    const left = ['sources', 'source_artifacts', 'source_texts', 'source_chunks WHERE removed = 0']
    await until(() => left.every(rows => count(rows) === 0))
  }
  const file = await importOne(daemon, 'cranes.md', text)
  t.not(file.status, 'failed')
  t.is(count('source_artifacts'), 1)
  const chunks = count('source_chunks WHERE removed = 0')
  t.true(chunks >= sections)
  // A kill while the same bytes are read again keeps the existing rows.
  const again = importOne(daemon, 'cranes.md', text, { duplicateMode: 'reimport' }).catch(() => undefined)
  daemon.child.kill('SIGKILL')
  await Promise.all([daemon.exited, again])
  await start()
  t.is(count('source_chunks WHERE removed = 0'), chunks)
  t.is(count('sources'), 1)
})
