import { createHash } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import type { Database } from 'better-sqlite3'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { migratedWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { startKillable } from '../helpers/killable-daemon.js'
import { olderFile } from '../helpers/older-file.js'
import { openRaw } from '../helpers/store.js'

const mebibytes = 64
/** Share of the new file that is in the log when the daemon is killed. */
const shares = [0, 0.5, 0.9, 1]

test('a large database of an older release, killed at several moments of its conversion, is either the old or the new one (operations.md 6.3)', async t => {
  const workspace = migratedWorkspace(t)
  writeFileSync(join(workspace, 'agent.yaml'), 'embedding: { provider: none }\n')
  const raw = openRaw(t, workspacePaths(workspace).database)
  fill(raw)
  raw.pragma('wal_checkpoint(TRUNCATE)')
  const before = hashOf(raw)
  raw.close()
  const file = olderFile(t, workspace)
  const reader = openRaw(t, file)
  const state = (): string | undefined => stateIn(reader)
  const met: string[] = []
  for (const share of shares) {
    if (isConverted(reader)) olderFile(t, workspace)
    const daemon = spawnDaemon(t, workspace)
    // The conversion may finish before the daemon answers a request, so it is polled from the start.
    while (state() !== 'completed' && !(state() === 'running' && logOf(file) >= share)) await delay(1)
    daemon.child.kill('SIGKILL')
    await daemon.exited
    met.push(`${share}: ${state()}`)
    t.is(hashOf(reader), before)
    t.is(reader.pragma('quick_check', { simple: true }), 'ok')
  }
  t.log(met.join(', '))
  t.true(
    met.some(one => one.endsWith('running')),
    'a kill hit the middle of the conversion',
  )
  const last = await startKillable(t, workspace)
  await until(() => state() === 'completed')
  const { databaseMaintenance } = await last.get('/api/pipeline/status')
  t.like(databaseMaintenance, { vacuumConversion: { state: 'completed', attempts: 0, lastError: null } })
  await last.stop('SIGTERM')
  t.true(isConverted(reader))
  t.is(hashOf(reader), before)
  t.is(reader.pragma('integrity_check', { simple: true }), 'ok')
})

/** Adds a foreign table that makes the file large. */
function fill(raw: Database): void {
  raw.exec('CREATE TABLE ballast (id INTEGER PRIMARY KEY, bytes BLOB)')
  const insert = raw.prepare('INSERT INTO ballast (bytes) VALUES (randomblob(1048576))')
  for (let n = 0; n < mebibytes; n++) insert.run()
}

function hashOf(raw: Database): string {
  const hash = createHash('sha256')
  for (const bytes of raw.prepare('SELECT bytes FROM ballast ORDER BY id').pluck().iterate())
    hash.update(bytes as Buffer)
  return hash.digest('hex')
}

function stateIn(raw: Database): string | undefined {
  const kept = raw.prepare("SELECT value FROM meta WHERE key = 'vacuum_conversion'").pluck().get()
  return kept === undefined ? undefined : (JSON.parse(String(kept)) as { state: string }).state
}

function isConverted(raw: Database): boolean {
  return raw.pragma('auto_vacuum', { simple: true }) !== 0
}

/** The size of the log, as a share of a whole file. */
function logOf(file: string): number {
  const { size } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0 }
  return size / (mebibytes * 1024 * 1024)
}
