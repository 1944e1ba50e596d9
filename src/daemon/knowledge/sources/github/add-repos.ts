import { type CodeRepoSettings, resourceTypes } from '../../../../contract/knowledge/github.js'
import type { AddedSource, RepoBody } from '../../../../contract/knowledge/source-kinds.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { addSource } from '../core/add-source.js'
import type { SourceDeps } from '../core/runs.js'
import { coderepo } from './coderepo.js'

/** Where repositories keep what they tell people. */
const usualDocs = ['*.md', 'docs/**', 'doc/**', '.github/*.md']

/** Registers repositories of GitHub; whether they can be read shows when they are. */
export function addRepos(deps: SourceDeps, caller: Caller, body: RepoBody): Promise<AddedSource> {
  const { name } = body
  return addSource(deps, caller, { kind: coderepo, settings: settingsOf(body), name, named: body })
}

/** What is not named has the defaults of sources.md#github. */
function settingsOf(body: RepoBody): CodeRepoSettings {
  const { tokenRef, maxItemsPerRepo } = body
  const repos = body.repos ?? body.repo ?? []
  // Discussions are told to those with a token only.
  const types = body.resourceTypes ?? resourceTypes.filter(type => tokenRef || type !== 'discussions')
  return {
    // GitHub takes names in any spelling; artifacts have one path.
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
