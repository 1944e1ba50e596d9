import { lstat } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import type { Projects } from './projects.js'

/** Only as many folders are looked for, the last used ones. */
const maxLooks = 10

/**
 * Returns folders that are gone and may have become this one, last used first: those of the same name, or
 * beside it (projects.md#places). Only projects that are known by their path move unnoticed.
 * @param project key of a project on this machine
 */
export async function movedFrom(
  projects: Pick<Projects, 'list' | 'placesOf'>,
  project: string,
): Promise<string[]> {
  if (!isAbsolute(project)) return []
  const isNear = (path: string) => basename(path) === basename(project) || dirname(path) === dirname(project)
  const near = projects
    .list()
    .filter(({ key }) => key !== project && isAbsolute(key) && isNear(key))
    .sort((one, other) => (one.used_at < other.used_at ? 1 : -1))
    .slice(0, maxLooks)
  const isGone = await Promise.all(near.map(({ key }) => isMissing(key)))
  return near
    .filter(({ key }, at) => isGone[at] && projects.placesOf(key).every(({ path }) => path === key))
    .map(({ key }) => key)
}

/** A folder that can't be looked at, such as one on a share that is away, may be there. */
async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}
