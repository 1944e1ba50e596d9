import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import {
  type RestoreNote,
  type RestorePlan,
  restoreNote,
  restorePlan,
} from '../../../contract/operations/backup.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { makesWay, placeIn, walk } from './archive/scope.js'

type Paths = Pick<WorkspacePaths, 'restore'>

const planName = 'plan.json'
const noteName = 'last.json'
/** Begins the name of a folder that nothing here removes. */
const keptPrefix = 'kept-'
/** Hooks that wait for a daemon are written while none can start, each under a name of its own. */
const waiting = /^\.daemon\/hook-spool\//u

/** The restore that is under way; undefined without one. @throws Error for a plan that is there and can't be read. */
export function readPlan(paths: Paths): RestorePlan | undefined {
  return readJson(join(paths.restore, planName), restorePlan)
}

/** From here on a restore happens, whatever is killed; on the disk when this returns. */
export function writePlan(paths: Paths, plan: RestorePlan): void {
  replaceFile(join(paths.restore, planName), JSON.stringify(plan), 0o600)
}

export async function removePlan(paths: Paths): Promise<void> {
  await rm(join(paths.restore, planName), { force: true })
}

/** The last restore; undefined before the first. */
export function readNote(paths: Paths): RestoreNote | undefined {
  return readJson(join(paths.restore, noteName), restoreNote)
}

export function writeNote(paths: Paths, note: RestoreNote): void {
  replaceFile(join(paths.restore, noteName), JSON.stringify(note), 0o600)
}

/** Whether what was there before the last restore is still kept. */
export function isUndoKept(paths: Paths, note: RestoreNote | undefined): note is RestoreNote {
  return note !== undefined && existsSync(join(paths.restore, note.undo))
}

/** Removes folders of restores that nobody needs any more: all but those that are named, or kept for good. */
export async function sweepFolders(paths: Paths, needed: readonly string[]): Promise<void> {
  const entries = await readdir(paths.restore, { withFileTypes: true }).catch(() => [])
  for (const { name } of entries.filter(entry => entry.isDirectory()))
    if (!needed.includes(name) && !name.startsWith(keptPrefix) && !isKept(paths, name))
      await rm(join(paths.restore, name), { recursive: true, force: true })
}

/** Whether a folder may hold what somebody wrote while a restore was cut short. */
export function isKept(paths: Paths, folder: string): boolean {
  return existsSync(keptBeside(paths, folder))
}

/** Where to what is in the way of a restore goes. */
export function keptBeside(paths: Paths, incoming: string): string {
  return join(paths.restore, keptPrefix + incoming)
}

/**
 * Moves files from one folder to another, each in one step; those that went already are passed over.
 * @param kept where to what stands in their way goes: it was written since a restore was cut short.
 */
export async function moveAll(
  from: string,
  to: string,
  files: readonly string[],
  kept: string,
): Promise<void> {
  const folders = new Set<string>()
  for (const path of files) {
    const source = placeIn(from, path)
    if (!existsSync(source)) continue
    const obstacle = await inTheWay(to, path, folders)
    if (obstacle !== undefined) await move(placeIn(to, obstacle), placeIn(join(kept, randomUUID()), obstacle))
    await move(source, placeIn(to, path))
  }
}

/**
 * The path itself where something is there, or one above it that is no folder.
 * @param folders those that are known to be some; each is looked at once.
 */
async function inTheWay(folder: string, path: string, folders: Set<string>): Promise<string | undefined> {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const above = path.slice(0, end)
    if (folders.has(above)) continue
    const there = await stat(placeIn(folder, above)).catch(() => undefined)
    if (!there?.isDirectory()) return (await isThere(folder, above)) ? above : undefined
    folders.add(above)
  }
  return (await isThere(folder, path)) ? path : undefined
}

/** Also a link that leads nowhere. */
async function isThere(folder: string, path: string): Promise<boolean> {
  return (await lstat(placeIn(folder, path)).catch(() => undefined)) !== undefined
}

async function move(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rename(source, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    // A folder of the workspace is a link to another disk.
    await copyFile(source, `${target}.part`)
    await rename(`${target}.part`, target)
    await rm(source)
  })
}

/**
 * Takes back a restore that was cut short: what came by it goes back to where it was, then what it moved away returns. A
 * kill in between leaves one that the next start goes on with. What was written meanwhile can't be told from what came:
 * its folder is kept from here on.
 */
export async function takeBack(
  paths: Pick<WorkspacePaths, 'restore' | 'root'>,
  plan: RestorePlan,
): Promise<void> {
  const kept = keptBeside(paths, plan.incoming)
  if (plan.phase === 'placing') {
    await mkdir(kept, { recursive: true, mode: 0o700 })
    const { files } = await walk(paths.root, path => makesWay(path) && !waiting.test(path))
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
