import { AppError } from '../../../../contract/ground/errors.js'
import type { CodeRepoSettings } from '../../../../contract/knowledge/github.js'
import type { KindDeps, KindHealth, Source } from '../core/kind.js'

/** What rows do not say: whether there is a token, and what its absence costs. Asks nothing of GitHub. */
export async function healthOf(
  { secrets }: Pick<KindDeps, 'secrets'>,
  { settings }: Source<CodeRepoSettings>,
): Promise<KindHealth> {
  const { tokenRef, maxItemsPerRepo } = settings
  const notes = [
    ...(tokenRef === undefined
      ? ['reads without a token: public repositories only, 60 requests an hour']
      : []),
    ...(maxItemsPerRepo === undefined
      ? []
      : [`reads the newest ${maxItemsPerRepo} of each resource at first, then what changes`]),
  ]
  const guidance = tokenRef === undefined ? undefined : await missing({ secrets }, tokenRef)
  if (guidance === undefined) return { notes }
  return { status: 'unhealthy', notes, issues: [{ path: 'tokenRef', guidance }] }
}

/** Why there is no token; a password manager, which takes a second and may be locked, is not asked for its health. */
async function missing(
  { secrets }: Pick<KindDeps, 'secrets'>,
  tokenRef: string,
): Promise<string | undefined> {
  try {
    if (secrets.isHere(tokenRef)) await secrets.resolve(tokenRef)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
