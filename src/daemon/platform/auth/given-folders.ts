import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { isInside } from '../../../lib/files/folders.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** The reason why `staysGiven` is false. */
export const noLongerGiven =
  'it is not, or leads out of, a folder that is given to the credential that named it (auth.folders)'

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
  deps: Pick<Ground, 'configuration'>,
  caller: Pick<Caller, 'access'>,
  path: string,
): Promise<void> {
  if (await mayRead(deps, caller, path)) return
  throw new AppError(
    'forbidden',
    `this credential may not have ${quoted(path)} read: it names files by their real paths, without links, and only below the folders that were given to it; send the text instead, or let the owner add the folder: memory config set auth.folders '{"${everybody}": ["/FOLDER"]}'`,
  )
}

/** Tells whether a caller on this machine may have a path read; see `assertMayRead`. */
export async function mayRead(
  { configuration }: Pick<Ground, 'configuration'>,
  caller: Pick<Caller, 'access'>,
  path: string,
): Promise<boolean> {
  const name = givenTo(caller)
  if (name === undefined) return true
  if ((await realPathOf(path)) !== resolve(path)) return false
  for (const folder of foldersOf(configuration().settings.auth, name))
    if (contains(folder, path) && (await realPathOf(folder)) === resolve(folder)) return true
  return false
}

/**
 * Returns the name whose folders in `auth.folders` a caller may have read; undefined for the owner and
 * admins, who may name any folder. Connectors and sources store the name, because they must stop reading a
 * folder that is removed from the setting.
 */
export function givenTo({ access }: Pick<Caller, 'access'>): string | undefined {
  return access.credential === 'none' || access.role === 'admin' ? undefined : access.actor
}

/**
 * Returns true while a path that was named is still given, and does not lead out of the given folder: the
 * caller may have swapped a folder on its way for a link since.
 * @param place the path of the opened file or folder without links
 * @param name the result of `givenTo` when the path was named
 */
export function staysGiven(
  auth: Pick<AuthSettings, 'folders'>,
  { path, place, name }: { path: string; place: string; name?: string | undefined },
): boolean {
  const around = (name === undefined ? Object.values(auth.folders).flat() : foldersOf(auth, name)).filter(
    folder => contains(folder, path),
  )
  if (around.length === 0) return name === undefined
  return around.some(folder => contains(folder, place))
}

function foldersOf({ folders }: Pick<AuthSettings, 'folders'>, name: string): string[] {
  return [name, everybody].flatMap(key => (Object.hasOwn(folders, key) ? (folders[key] ?? []) : []))
}

function contains(folder: string, path: string): boolean {
  const [root, below] = [resolve(folder), resolve(path)]
  return root === below || isInside(root, below)
}

function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}
