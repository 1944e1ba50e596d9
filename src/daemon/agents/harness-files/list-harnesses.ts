import { stat } from 'node:fs/promises'
import type { HarnessFiles } from '../../../contract/agents/harness-files.js'
import { AppError } from '../../../contract/ground/errors.js'
import { homeIfKnown } from '../../../lib/files/home-folder.js'
import { harnessFiles } from '../../../lib/workspace/harness-files.js'
import type { Ground } from '../../ground/ground.js'

/**
 * Lists the files that known harnesses read for the daemon's user, as they are on disk now (skills.md 7).
 * @throws AppError `not_found` for a daemon without a home folder.
 */
export async function listHarnesses({ environment }: Pick<Ground, 'environment'>): Promise<HarnessFiles> {
  const home = environment.HOME || homeIfKnown()
  if (!home)
    throw new AppError('not_found', 'the daemon has no home folder: set HOME, then memory daemon restart')
  const known = harnessFiles({ env: environment, home })
  const harnesses = await Promise.all(
    known.map(async ({ harness, path, kinds }) => ({
      name: harness,
      path,
      exists: (await stat(path).catch(() => undefined))?.isFile() === true,
      kinds: [...kinds],
    })),
  )
  return { harnesses }
}
