import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import {
  type RestoreNote,
  type RestorePlan,
  restoreNote,
  restorePlan,
} from '../../../contract/operations/backup.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { isMovedByRestore, pathIn, walk } from './archive/scope.js'

type Paths = Pick<WorkspacePaths, 'restore'>

const planName = 'plan.json'
const noteName = 'last.json'
/** Folders with this prefix are never removed automatically. */
const keptPrefix = 'kept-'
/**
 * Queued hooks are written while no daemon runs, each under its own name, so a rollback leaves them in place.
 */
const waiting = /^\.daemon\/hook-spool\//u

/** @returns the restore in progress, or undefined. @throws Error for a plan that can't be read. */
export function readPlan(paths: Paths): RestorePlan | undefined {
  return readJson(join(paths.restore, planName), restorePlan)
}

/** Commits to the restore: once the plan is on disk, it happens even after a kill. */
export function writePlan(paths: Paths, plan: RestorePlan): void {
  replaceFile(join(paths.restore, planName), JSON.stringify(plan), 0o600)
}

export async function removePlan(paths: Paths): Promise<void> {
  await rm(join(paths.restore, planName), { force: true, maxRetries: 5 })
}

/** @returns the last restore, or undefined before the first. */
export function readNote(paths: Paths): RestoreNote | undefined {
  return readJson(join(paths.restore, noteName), restoreNote)
}

export function writeNote(paths: Paths, note: RestoreNote): void {
  replaceFile(join(paths.restore, noteName), JSON.stringify(note), 0o600)
}

export function isUndoKept(paths: Paths, note: RestoreNote | undefined): note is RestoreNote {
  return note !== undefined && existsSync(join(paths.restore, note.undo))
}

/** Removes the folders of old restores, except the `needed` ones and those kept permanently. */
export async function sweepFolders(paths: Paths, needed: readonly string[]): Promise<void> {
  const entries = await readdir(paths.restore, { withFileTypes: true }).catch(() => [])
  for (const { name } of entries.filter(entry => entry.isDirectory()))
    if (!needed.includes(name) && !name.startsWith(keptPrefix) && !hasKeptFiles(paths, name))
      await rm(join(paths.restore, name), { recursive: true, force: true, maxRetries: 5 })
}

/** True when the folder may contain files that were written while a restore was interrupted. */
export function hasKeptFiles(paths: Paths, folder: string): boolean {
  return existsSync(obstacleFolder(paths, folder))
}

/** The folder for files that were in the way of a restore. */
export function obstacleFolder(paths: Paths, incoming: string): string {
  return join(paths.restore, keptPrefix + incoming)
}

/**
 * Moves files between folders, each with one rename; files already moved are skipped.
 * @param kept folder for obstacles at the target: they were written after a restore was interrupted
 */
export async function moveAll(
  from: string,
  to: string,
  files: readonly string[],
  kept: string,
): Promise<void> {
  const folders = new Set<string>()
  for (const path of files) {
    const source = pathIn(from, path)
    if (!existsSync(source)) continue
    const obstacle = await findObstacle(to, path, folders)
    if (obstacle !== undefined) await move(pathIn(to, obstacle), pathIn(join(kept, randomUUID()), obstacle))
    await move(source, pathIn(to, path))
  }
}

/**
 * The obstacle at the target: an existing file, or a parent that is not a folder.
 * @param folders cache of known folders
 */
async function findObstacle(folder: string, path: string, folders: Set<string>): Promise<string | undefined> {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const above = path.slice(0, end)
    if (folders.has(above)) continue
    const there = await stat(pathIn(folder, above)).catch(() => undefined)
    if (!there?.isDirectory()) return (await exists(folder, above)) ? above : undefined
    folders.add(above)
  }
  return (await exists(folder, path)) ? path : undefined
}

/** True for dangling links, too. */
async function exists(folder: string, path: string): Promise<boolean> {
  return (await lstat(pathIn(folder, path)).catch(() => undefined)) !== undefined
}

async function move(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await renamePatiently(source, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    // A workspace folder is a link to another disk.
    await copyFile(source, `${target}.part`)
    await renamePatiently(`${target}.part`, target)
    await rm(source, { maxRetries: 5 })
  })
}

/**
 * Rolls back an interrupted restore: restored files return to their folder, then the previous files return to
 * the workspace. After a kill the next start continues. Files written in between look the same as restored
 * ones, so the folder is kept permanently.
 */
export async function rollBackRestore(
  paths: Pick<WorkspacePaths, 'restore' | 'root'>,
  plan: RestorePlan,
): Promise<void> {
  const kept = obstacleFolder(paths, plan.incoming)
  if (plan.phase === 'placing') {
    await mkdir(kept, { recursive: true, mode: 0o700 })
    const { files } = await walk(paths.root, path => isMovedByRestore(path) && !waiting.test(path))
    await moveAll(paths.root, join(paths.restore, plan.incoming), files, kept)
    writePlan(paths, { ...plan, phase: 'prepared' })
  }
  const outgoing = join(paths.restore, plan.outgoing)
  const { files } = await walk(outgoing, () => true)
  await moveAll(outgoing, paths.root, files, kept)
}

function readJson<S extends z.ZodType>(file: string, schema: S): z.infer<S> | undefined {
  if (!existsSync(file)) return undefined
  return schema.parse(jsonOf(readFileSync(file, 'utf8')))
}
