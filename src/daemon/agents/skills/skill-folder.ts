import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nameFault } from '../../../contract/agents/skill-names.js'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import { isInside } from '../../../lib/files/folders.js'
import { quoted } from '../../../lib/text/clip.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'

export type SkillFolder = { kind: 'skill'; name: string; folder: string; file: string }
type SkippedFolder = { kind: 'none' | 'leads-out'; name: string; reason: string }

interface Deps {
  paths: Pick<WorkspacePaths, 'skills'>
}

/** Reads every folder of `skills/`, each time from disk: people and other programs change it. */
export async function skillFolders({ paths }: Deps): Promise<(SkillFolder | SkippedFolder)[]> {
  const entries = await readdir(paths.skills, { withFileTypes: true }).catch(valueIfMissing<Dirent[]>([]))
  const names = entries
    .filter(entry => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
  return Promise.all(names.map(name => readSkillFolder({ paths }, name)))
}

/**
 * Finds an installed skill by its name.
 * @throws AppError `not_found`; `validation_failed` for a link that leads out of `skills/`.
 */
export async function requireSkill(deps: Deps, name: string): Promise<SkillFolder> {
  const found = await readSkillFolder(deps, name)
  if (found.kind === 'skill') return found
  if (found.kind === 'leads-out') throw new AppError('validation_failed', `${quoted(name)}: ${found.reason}`)
  throw notFound(`skill ${quoted(name)} not found`, 'list installed skills with memory skills list')
}

/** A link within `skills/` counts as a folder; one that leads out could expose any file of the machine. */
async function readSkillFolder({ paths }: Deps, name: string): Promise<SkillFolder | SkippedFolder> {
  const fault = nameFault(name)
  if (fault) return { kind: 'none', name, reason: `its name ${fault}` }
  const folder = join(paths.skills, name)
  const root = await realpath(paths.skills).catch(valueIfMissing(undefined))
  const real = await realpath(folder).catch(valueIfMissing(undefined))
  if (root === undefined || real === undefined)
    return { kind: 'none', name, reason: 'it is a broken link or does not exist' }
  if (!isInside(root, real))
    return { kind: 'leads-out', name, reason: 'it is a link that leads out of skills/' }
  const file = join(folder, 'SKILL.md')
  const realFile = await realpath(file).catch(valueIfMissing(undefined))
  if (realFile === undefined || !(await stat(realFile)).isFile())
    return { kind: 'none', name, reason: 'it contains no SKILL.md' }
  if (!isInside(real, realFile))
    return { kind: 'leads-out', name, reason: 'its SKILL.md is a link that leads out of its folder' }
  return { kind: 'skill', name, folder, file }
}

/** Returns the given value when a path does not exist; rethrows every other error. */
export function valueIfMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return error => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) return value
    throw error
  }
}
