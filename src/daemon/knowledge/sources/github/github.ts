import { AppError } from '../../../../contract/ground/errors.js'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import {
  type GithubSettings,
  githubSettings,
  resourceTypes,
} from '../../../../contract/knowledge/sources/github.js'
import type { AddedSource, RepoBody } from '../../../../contract/knowledge/sources/source-kinds.js'
import { systemWait } from '../../../ground/fetch/api-faults.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { addSource } from '../core/add-source.js'
import type { KindDeps, KindHealth, Source, SourceKind } from '../core/kind.js'
import type { SourceDeps } from '../core/runs.js'

/** Usual paths of documentation in repositories. */
const usualDocs = ['*.md', 'docs/**', 'doc/**', '.github/*.md']

const hourMs = 3_600_000

/** Repositories of GitHub (sources.md#github). */
export const github: SourceKind<GithubSettings> = {
  kind: sourceKind.github,
  settings: githubSettings,
  identityOf: ({ repos }) => JSON.stringify([...repos].sort()),
  describe: ({ repos }) => {
    const [first = '', ...others] = repos
    return {
      name: others.length > 0 ? `${first} and ${others.length} more` : first,
      root: repos.map(repo => `github.com/${repo}`).join(', '),
    }
  },
  read: async function* (deps, source, pass) {
    const { readRepos } = await import('./read.js')
    yield* readRepos({ ...deps, wait: systemWait }, source, pass)
  },
  reconcileEveryMs: hourMs,
  health: healthOf,
}

/** Reports a missing token and its cost without asking GitHub. */
async function healthOf(
  { secrets }: Pick<KindDeps, 'secrets'>,
  { settings }: Source<GithubSettings>,
): Promise<KindHealth> {
  const { tokenRef, maxItemsPerRepo } = settings
  const notes = [
    ...(tokenRef === undefined
      ? ['reads without a token: public repositories only, 60 requests an hour']
      : []),
    ...(maxItemsPerRepo === undefined
      ? []
      : [`reads the newest ${maxItemsPerRepo} of each resource at first, then changes`]),
  ]
  const guidance = tokenRef === undefined ? undefined : await missingTokenReason({ secrets }, tokenRef)
  if (guidance === undefined) return { notes }
  return { status: 'unhealthy', notes, issues: [{ path: 'tokenRef', guidance }] }
}

/**
 * Explains why the token is missing. Password managers are not asked, because they take a second and may be
 * locked.
 */
async function missingTokenReason(
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

/** Registers repositories of GitHub; the first pass shows if they can be read. */
export function addRepos(deps: SourceDeps, caller: Caller, body: RepoBody): Promise<AddedSource> {
  const { name } = body
  return addSource(deps, caller, { kind: github, settings: settingsOf(body), name, named: body })
}

/** Fills in the defaults of sources.md#github. */
function settingsOf(body: RepoBody): GithubSettings {
  const { tokenRef, maxItemsPerRepo } = body
  const repos = body.repos ?? body.repo ?? []
  // GitHub's API requires a token for discussions.
  const types = body.resourceTypes ?? resourceTypes.filter(type => tokenRef || type !== 'discussions')
  return {
    // GitHub ignores the case of names; artifacts need one path.
    repos: [...new Set(repos.map(repo => repo.toLowerCase()))],
    ...(tokenRef && { tokenRef }),
    resourceTypes: [...new Set(types)],
    state: body.state ?? 'all',
    includeComments: body.includeComments ?? true,
    labels: [...new Set(body.labels)],
    docPaths: [...new Set(body.docPaths ?? usualDocs)],
    ...(maxItemsPerRepo && { maxItemsPerRepo }),
  }
}
