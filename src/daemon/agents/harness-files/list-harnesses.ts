import { stat } from 'node:fs/promises'
import type { HarnessFiles } from '../../../contract/agents/harness-files.js'
import { homeFolder } from '../../../lib/files/home-folder.js'
import { harnessFiles } from '../../../lib/workspace/harness-files.js'
import type { Ground } from '../../ground/ground.js'

/** Lists the files that known harnesses read for the daemon's user, as they are on disk now (skills.md 7). */
export async function listHarnesses({ environment }: Pick<Ground, 'environment'>): Promise<HarnessFiles> {
  const known = harnessFiles({ env: environment, home: environment.HOME || homeFolder() })
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
