import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import {
  type RestoreNote,
  type RestorePlan,
  restoreNote,
  restorePlan,
} from '../../../contract/operations/backup.js'
import { jsonOf } from '../../../lib/json-of.js'
import type { WorkspacePaths } from '../../../lib/paths.js'
import { replaceFile } from '../../../lib/replace-file.js'
import { makesWay, placeIn, walk } from './archive/scope.js'

type Paths = Pick<WorkspacePaths, 'restore'>

const planName = 'plan.json'
const noteName = 'last.json'

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

/** Removes folders of restores that nobody needs any more: all but those that are named. */
export async function sweepFolders(paths: Paths, needed: readonly string[]): Promise<void> {
  const entries = await readdir(paths.restore, { withFileTypes: true }).catch(() => [])
  for (const entry of entries)
    if (entry.isDirectory() && !needed.includes(entry.name))
      await rm(join(paths.restore, entry.name), { recursive: true, force: true })
}

/** Moves files from one folder to another, each in one step; those that went already are passed over. */
export async function moveAll(from: string, to: string, files: readonly string[]): Promise<void> {
  for (const path of files) {
    const [source, target] = [placeIn(from, path), placeIn(to, path)]
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(source, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && !existsSync(source)) return
      if (error.code !== 'EXDEV') throw error
      // A folder of the workspace is a link to another disk.
      await copyFile(source, `${target}.part`)
      await rename(`${target}.part`, target)
      await rm(source)
    })
  }
}

/**
 * Takes back a restore that was cut short: what came by it goes back to where it was, then what it moved away returns. A
 * kill in between leaves one that the next start goes on with.
 */
export async function takeBack(
  paths: Pick<WorkspacePaths, 'restore' | 'root'>,
  plan: RestorePlan,
): Promise<void> {
  if (plan.phase === 'placing') {
    const { files } = await walk(paths.root, makesWay)
    await moveAll(paths.root, join(paths.restore, plan.incoming), files)
    writePlan(paths, { ...plan, phase: 'prepared' })
  }
  const outgoing = join(paths.restore, plan.outgoing)
  const { files } = await walk(outgoing, () => true)
  await moveAll(outgoing, paths.root, files)
}

function readJson<S extends z.ZodType>(file: string, schema: S): z.infer<S> | undefined {
  if (!existsSync(file)) return undefined
  return schema.parse(jsonOf(readFileSync(file, 'utf8')))
}
