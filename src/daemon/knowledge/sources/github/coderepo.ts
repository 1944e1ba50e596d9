import { type CodeRepoSettings, codeRepoSettings } from '../../../../contract/knowledge/github.js'
import { systemWait } from '../../../ground/fetch/api-wait.js'
import type { SourceKind } from '../core/kind.js'
import { healthOf } from './health.js'
import { readRepos } from './read.js'

const hourMs = 3_600_000

/** Repositories of GitHub (sources.md#github). */
export const coderepo: SourceKind<CodeRepoSettings> = {
  kind: 'coderepo',
  settings: codeRepoSettings,
  identityOf: ({ repos }) => JSON.stringify([...repos].sort()),
  describe: ({ repos }) => {
    const [first = '', ...others] = repos
    return {
      name: others.length > 0 ? `${first} and ${others.length} more` : first,
      root: repos.map(repo => `github.com/${repo}`).join(', '),
    }
  },
  read: (deps, source, pass) => readRepos({ ...deps, wait: systemWait }, source, pass),
  reconcileEveryMs: hourMs,
  health: healthOf,
}
