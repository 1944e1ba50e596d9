import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { applyRestore } from '../../../../../src/daemon/operations/backup/apply-restore.js'
import { isMovedByRestore, walk } from '../../../../../src/daemon/operations/backup/archive/scope.js'
import { cancelRestore } from '../../../../../src/daemon/operations/backup/prepare-restore.js'
import {
  moveAll,
  readNote,
  readPlan,
  writePlan,
} from '../../../../../src/daemon/operations/backup/restore-files.js'
import { type WorkspacePaths, workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const plan = {
  ...({ id: 'backup-1', kind: 'restore', memories: 2, memoriesBefore: 3, phase: 'prepared' } as const),
  ...{ preparedAt: '2026-01-01T00:00:00.000Z', incoming: 'in-1', outgoing: 'out-1' },
}
const old = {
  'agent.yaml': 'old',
  'AGENTS.md': 'old',
  'skills/gone/SKILL.md': 'old',
  'memory/memories.db': 'old',
  'memory/memories.db-wal': 'old',
  '.daemon/index.snapshot': 'derived',
  '.secrets/secrets.json': 'old',
}
const kept = {
  '.secrets/machine.key': 'key',
  '.git/HEAD': 'git',
  'backups/one.tar.gz': 'archive',
  'backup-20260101-000000-a1b2c3.tar.gz': 'archive',
  '.daemon/auth-secret': 'own',
}
const coming = { 'agent.yaml': 'new', 'memory/memories.db': 'new', 'skills/come/SKILL.md': 'new' }

test('a restore interrupted at any step is completed at the next start and can be undone (operations.md 4.4)', async t => {
  const steps = Object.keys(old).length + Object.keys(coming).length
  for (let step = 0; step <= steps; step++) {
    const paths = preparedWorkspace(t)
    await doFirst(paths, step)
    await apply(paths)
    t.deepEqual(filesIn(paths.root), { ...kept, ...coming }, `after ${step} steps`)
    t.is(readPlan(paths), undefined)
    t.like(readNote(paths), { id: 'backup-1', memories: 2, undo: 'out-1', undoMemories: 3 })
    t.deepEqual(filesIn(join(paths.restore, 'out-1')), old)
    await apply(paths)
    t.deepEqual(filesIn(paths.root), { ...kept, ...coming })
    t.deepEqual(filesIn(join(paths.restore, 'out-1')), old)
  }
})

test('a restore interrupted at any step can be cancelled and leaves the original files (operations.md 4.4)', async t => {
  const steps = Object.keys(old).length + Object.keys(coming).length
  for (let step = 0; step <= steps; step++) {
    const paths = preparedWorkspace(t)
    await doFirst(paths, step)
    t.true(await cancelRestore(paths))
    t.deepEqual(filesIn(paths.root), { ...kept, ...old }, `after ${step} steps`)
    await apply(paths)
    t.deepEqual(filesIn(paths.root), { ...kept, ...old })
  }
})

test('files written during an interrupted restore survive whatever follows (operations.md 4.4)', async t => {
  const all = Object.keys(old).length + Object.keys(coming).length
  const hook = { '.daemon/hook-spool/later.json': 'hook' }
  // These paths conflict with restored files, pending files and a folder.
  const written = { 'agent.yaml': 'mine', 'skills/mine/SKILL.md': 'mine', 'skills/come': 'mine' }
  for (const step of [Object.keys(old).length + 1, all - 1])
    for (const follows of ['cancel', 'apply'] as const) {
      const paths = preparedWorkspace(t)
      await doFirst(paths, step)
      put(paths.root, { ...hook, ...written })
      if (follows === 'cancel') t.true(await cancelRestore(paths))
      for (let starts = 0; starts < 2; starts++) await apply(paths)
      const now = filesIn(paths.root)
      if (follows === 'cancel') t.deepEqual(now, { ...kept, ...old, ...hook }, `after ${step} steps`)
      else t.like(now, { ...kept, ...hook, 'memory/memories.db': 'new' })
      const texts = [...Object.entries(now), ...Object.entries(filesIn(paths.restore))]
      const mine = texts.filter(([, text]) => text === 'mine').map(([path]) => path)
      for (const path of Object.keys(written))
        t.true(
          mine.some(one => one.endsWith(path)),
          `${follows} ${path}`,
        )
      t.is(mine.length, Object.keys(written).length)
    }
})

test('remains of a killed preparation are removed, and the workspace is unchanged (operations.md 4.4)', async t => {
  const paths = preparedWorkspace(t)
  t.true(await cancelRestore(paths))
  put(paths.restore, { 'in-2/memory/memories.db': 'half' })
  await apply(paths)
  t.deepEqual(filesIn(paths.root), { ...kept, ...old })
  t.deepEqual(readdirSync(paths.restore), [])
})

function preparedWorkspace(t: ExecutionContext): WorkspacePaths {
  const paths = workspacePaths(temporaryWorkspace(t))
  put(paths.root, { ...kept, ...old })
  put(join(paths.restore, 'in-1'), coming)
  writePlan(paths, plan)
  return paths
}

/** Moves the given number of files, like a restore killed at that step. */
async function doFirst(paths: WorkspacePaths, steps: number): Promise<void> {
  const { files: aside } = await walk(paths.root, isMovedByRestore)
  const unused = join(paths.restore, 'kept-none')
  const [incoming, outgoing] = [join(paths.restore, 'in-1'), join(paths.restore, 'out-1')]
  await moveAll(paths.root, outgoing, aside.slice(0, steps), unused)
  if (steps <= aside.length) return
  writePlan(paths, { ...plan, phase: 'placing' })
  const { files } = await walk(incoming, () => true)
  await moveAll(incoming, paths.root, files.slice(0, steps - aside.length), unused)
}

function apply(paths: WorkspacePaths): Promise<void> {
  return applyRestore({
    paths,
    clock: () => new Date('2026-01-02T00:00:00Z'),
    log: pino({ level: 'silent' }),
  })
}

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

/** Reads all files except those of restores. */
function filesIn(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
  const shown = paths.filter(path => !path.startsWith('.daemon/restore/'))
  return Object.fromEntries(shown.map(path => [path, readFileSync(join(root, path), 'utf8')]))
}
