// runs: in turn

import { EventEmitter } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { vaultExcludes } from '../../../../../../src/contract/knowledge/sources/source-kinds.js'
import { settings as settingsShape } from '../../../../../../src/contract/settings.js'
import type { WatchFolder } from '../../../../../../src/daemon/knowledge/files/watched-folders.js'
import type { KindDeps } from '../../../../../../src/daemon/knowledge/sources/core/kind.js'
import { readVault } from '../../../../../../src/daemon/knowledge/sources/obsidian/read.js'
import { watchVault } from '../../../../../../src/daemon/knowledge/sources/obsidian/watch.js'
import { workspacePaths } from '../../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../../helpers/daemon.js'
import { Rows } from '../../../../../helpers/discord/rows.js'
import { putNote, vaultOf } from '../../../../../helpers/sources.js'

/** Creates a vault with one note and reads it into rows. */
async function readOnce(t: ExecutionContext, notes: Readonly<Record<string, string>> = { 'a.md': 'one' }) {
  const root = vaultOf(t, notes)
  const deps = {
    clock: () => new Date(),
    paths: workspacePaths(temporaryWorkspace(t)),
    configuration: () => ({ settings: settingsShape.parse({}) }),
  } as unknown as KindDeps
  const settings = { path: root, excludeGlobs: [...vaultExcludes] }
  const source = { id: 'notevault:1', agentId: 'default', name: 'vault', root, settings }
  const rows = new Rows()
  // Waiting for changes must not keep a process alive.
  const alive = setInterval(() => undefined, 60_000)
  t.teardown(() => clearInterval(alive))
  await rows.take(readVault(deps, source, rows.pass()))
  return { root, deps, source, rows }
}

const failing =
  (code: string): WatchFolder =>
  () => {
    throw Object.assign(new Error(code), { code })
  }

for (const code of ['ENOSPC', 'EMFILE', 'ENOSYS'])
  test(`without file watching (${code}) the vault is listed every minute and reported`, async t => {
    const { root, deps, source, rows } = await readOnce(t)
    const stop = new AbortController()
    const waits: number[] = []
    const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
      waits.push(ms)
      if (waits.length === 1) putNote(root, 'b.md', 'two')
      if (waits.length === 2) rmSync(join(root, 'a.md'))
      if (waits.length === 3) stop.abort(new Error('over'))
      signal.throwIfAborted()
    }
    const pass = rows.pass({ signal: stop.signal })
    const events = watchVault(deps, source, pass, { watchFolder: failing(code), wait })
    await t.throwsAsync(rows.take(events), { message: 'over' })
    t.deepEqual([...rows.artifacts.keys()], ['b.md'])
    t.deepEqual(waits, [60_000, 60_000, 60_000])
    t.like(rows.faults, [{ path: '.', isRecoverable: true }])
    t.regex(rows.faults[0]?.message ?? '', /reports no changes here .* every 60 seconds/u)
  })

test('a folder that cannot be watched does not affect the others', async t => {
  const { root, deps, source, rows } = await readOnce(t, { 'a.md': 'one', 'closed/b.md': 'two' })
  const stop = new AbortController()
  const watchers: EventEmitter[] = []
  const watchFolder: WatchFolder = path => {
    if (path.endsWith('closed')) throw Object.assign(new Error('denied'), { code: 'EACCES' })
    const watcher = Object.assign(new EventEmitter(), { close: () => undefined })
    watchers.push(watcher)
    return watcher as unknown as ReturnType<WatchFolder>
  }
  const events = watchVault(deps, source, rows.pass({ signal: stop.signal }), { watchFolder })
  for await (const event of events) {
    rows.apply(event)
    if (event.event === 'checkpoint' && rows.artifacts.size === 2) {
      writeFileSync(join(root, 'c.md'), 'three')
      watchers[0]?.emit('change', 'rename', 'c.md')
    }
    if (rows.artifacts.has('c.md')) break
  }
  t.is(watchers.length, 1)
  t.deepEqual(rows.faults, [])
})

test('watching that is stopped while a change settles ends with the stop reason', async t => {
  const { deps, source, rows } = await readOnce(t)
  const stop = new AbortController()
  const watcher = Object.assign(new EventEmitter(), { close: () => undefined })
  const watchFolder: WatchFolder = () => watcher as unknown as ReturnType<WatchFolder>
  const events = watchVault(deps, source, rows.pass({ signal: stop.signal }), { watchFolder })
  for (let isCovered = false; !isCovered; ) {
    const { value } = await events.next()
    isCovered = value?.event === 'checkpoint' && value.key === 'listing'
  }
  const next = events.next()
  watcher.emit('change', 'rename', 'a.md')
  // Runs after the promises of the wait for a file event.
  setImmediate(() => stop.abort(new Error('again')))
  await t.throwsAsync(next, { message: 'again' })
})

test('a note replaced by an iCloud placeholder is kept and counted', async t => {
  const { root, deps, source, rows } = await readOnce(t, { 'a.md': 'one', 'sub/b.md': 'two' })
  rmSync(join(root, 'sub/b.md'))
  writeFileSync(join(root, 'sub/.b.md.icloud'), 'bplist')
  writeFileSync(join(root, 'sub/.picture.png.icloud'), 'bplist')
  await rows.take(readVault(deps, source, rows.pass()))
  t.deepEqual([...rows.artifacts.keys()], ['a.md', 'sub/b.md'])
  t.like(rows.faults, [{ path: 'iCloud', isRecoverable: true }])
  t.regex(rows.faults[0]?.message ?? '', /^1 notes? /u)
})

test('a name that the disk finds but does not list has changed its case, so the whole vault is read', async t => {
  const { root, deps, source, rows } = await readOnce(t)
  const watcher = Object.assign(new EventEmitter(), { close: () => undefined })
  const watchFolder: WatchFolder = () => watcher as unknown as ReturnType<WatchFolder>
  const asked: string[] = []
  const namesIn = async (folder: string) => {
    asked.push(folder)
    return ['A.md']
  }
  let hasChanged = false
  for await (const event of watchVault(deps, source, rows.pass(), { watchFolder, namesIn })) {
    rows.apply(event)
    if (event.event === 'checkpoint' && !hasChanged) {
      hasChanged = true
      // No event names this note.
      putNote(root, 'b.md', 'two')
      watcher.emit('change', 'rename', 'a.md')
    }
    if (rows.artifacts.has('b.md')) break
  }
  t.deepEqual(asked, [root])
  t.true(rows.artifacts.has('b.md'))
})
