import { realpath } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { isInside } from '../../../lib/files/is-inside.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Entry of `auth.folders` for every credential. */
const everybody = '*'

/**
 * Checks a path that a caller on this machine wants to have read. A caller with a credential may be another
 * user of the machine and can read back the content, so that only admins and the owner name any path
 * (security.md#modes). A missing file is refused in the same way, since it could become a link later.
 * @throws AppError `forbidden`
 */
export async function assertMayRead(
  { configuration }: Pick<Ground, 'configuration'>,
  { access }: Pick<Caller, 'access'>,
  path: string,
): Promise<void> {
  if (access.credential === 'none' || access.role === 'admin') return
  const { folders } = configuration().settings.auth
  const real = await realPathOf(path)
  if (real !== undefined)
    for (const name of [access.actor, everybody])
      for (const folder of Object.hasOwn(folders, name) ? (folders[name] ?? []) : []) {
        const root = await realPathOf(folder)
        if (root !== undefined && (root === real || isInside(root, real))) return
      }
  throw new AppError(
    'forbidden',
    `this credential may not have ${quoted(path)} read: it names files below the folders that were given to it only; send the text instead, or let the owner add the folder: memory config set auth.folders '{"${everybody}": ["/FOLDER"]}'`,
  )
}

function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}
