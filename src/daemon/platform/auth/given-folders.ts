import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { isInside } from '../../../lib/files/is-inside.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Entry of `auth.folders` for every credential. */
const everybody = '*'

/**
 * Checks a path that a caller on this machine wants to have read. A caller with a credential may be another
 * user of the machine and can read back the content, so only admins and the owner name any path
 * (security.md#files-of-this-machine). Others name real paths, since a link could lead elsewhere later. For
 * the same reason a missing file is refused.
 * @throws AppError `forbidden`
 */
export async function assertMayRead(
  { configuration }: Pick<Ground, 'configuration'>,
  { access }: Pick<Caller, 'access'>,
  path: string,
): Promise<void> {
  if (access.credential === 'none' || access.role === 'admin') return
  const { folders } = configuration().settings.auth
  const given = [access.actor, everybody].flatMap(name =>
    Object.hasOwn(folders, name) ? (folders[name] ?? []) : [],
  )
  const isReal = (await realPathOf(path)) === resolve(path)
  for (const folder of given)
    if (isReal && contains(folder, path) && (await realPathOf(folder)) === resolve(folder)) return
  throw new AppError(
    'forbidden',
    `this credential may not have ${quoted(path)} read: it names files by their real paths, without links, and only below the folders that were given to it; send the text instead, or let the owner add the folder: memory config set auth.folders '{"${everybody}": ["/FOLDER"]}'`,
  )
}

/**
 * Returns true unless a path below a given folder leads out of it. The caller may have swapped a
 * folder on its way for a link since.
 * @param place the path of the opened file or folder without links
 */
export function staysGiven({ folders }: Pick<AuthSettings, 'folders'>, path: string, place: string): boolean {
  const around = Object.values(folders)
    .flat()
    .filter(folder => contains(folder, path))
  return around.length === 0 || around.some(folder => contains(folder, place))
}

function contains(folder: string, path: string): boolean {
  const [root, below] = [resolve(folder), resolve(path)]
  return root === below || isInside(root, below)
}

function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}
