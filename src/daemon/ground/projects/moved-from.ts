import { lstat } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import { quotedForShell } from '../../../lib/text/shell-words.js'
import type { Projects } from './projects.js'

/** Only as many folders are looked for, the last used ones. */
const maxLooks = 10

/** A project that this one may have been before. */
export interface FormerProject {
  key: string
  /** Makes one project of both. */
  command: string
}

/**
 * Returns projects that may have become this one, last used first (projects.md#places): folders that are
 * gone, of the same name or beside it, and repositories without a place, of the same name under another
 * remote.
 * @param project key of a project on this machine
 */
export async function movedFrom(
  projects: Pick<Projects, 'list' | 'placesOf' | 'nameOf'>,
  project: string,
): Promise<FormerProject[]> {
  const isFolder = isAbsolute(project)
  const isNear = ({ key }: { key: string }): boolean => {
    if (key === project || isAbsolute(key) !== isFolder) return false
    if (!isFolder)
      return projects.nameOf(key) === projects.nameOf(project) && projects.placesOf(key).length === 0
    const isAlone = projects.placesOf(key).every(({ path }) => path === key)
    return isAlone && (basename(key) === basename(project) || dirname(key) === dirname(project))
  }
  const near = projects
    .list()
    .filter(isNear)
    .sort((one, other) => (one.used_at < other.used_at ? 1 : -1))
    .slice(0, maxLooks)
  const isGone = await Promise.all(near.map(({ key }) => !isFolder || isMissing(key)))
  const verb = isFolder ? 'move' : 'join'
  return near
    .filter((_, at) => isGone[at])
    .map(({ key }) => ({
      key,
      command: `memory projects ${verb} ${quotedForShell(key)} ${quotedForShell(project)}`,
    }))
}

/** A folder that can't be looked at, such as one on a share that is away, may be there. */
async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}
