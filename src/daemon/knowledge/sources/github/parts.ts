import type { CodeRepoSettings } from '../../../../contract/knowledge/github.js'
import type { SourceEvent } from '../core/kind.js'
import { type CommentKind, commentsOf, conversation, reviews } from './comments.js'
import { readDiscussions } from './discussions.js'
import { readDocs } from './docs.js'
import { itemsOf, type TellOfItems, typesOf } from './items.js'
import { keepUp } from './keep-up.js'
import type { Reading } from './reading.js'

/** One resource of one repository. */
export interface Part {
  /** `OWNER/REPO/issues`: of its checkpoint, its faults, and a pause in it. */
  key: string
  isWanted: boolean
  /** Another part that has to be read before it in the same pass. */
  needs?: string
  prefixes: readonly string[]
  read(reading: Reading): AsyncGenerator<SourceEvent>
}

/** The resources of a repository in the order in which they are read: comments behind what they stand below. */
export function partsOf(repo: string, settings: CodeRepoSettings): Part[] {
  const { resourceTypes, includeComments } = settings
  const tell: TellOfItems = { titles: new Map() }
  const types = typesOf(settings)
  const comments = (kind: CommentKind, isWanted: boolean): Part => ({
    key: `${repo}/${kind.folder}`,
    isWanted: includeComments && isWanted,
    needs: `${repo}/issues`,
    prefixes: [`${repo}/${kind.folder}/`],
    read: reading => told(repo, kind.name, keepUp(reading, commentsOf(reading, { repo, kind, tell }))),
  })
  return [
    {
      key: `${repo}/issues`,
      isWanted: types.length > 0,
      prefixes: [`${repo}/issues/`, `${repo}/pulls/`],
      read: reading => told(repo, 'issues and pull requests', keepUp(reading, itemsOf(reading, repo, tell))),
    },
    comments(conversation, types.length > 0),
    comments(reviews, types.includes('pulls')),
    {
      key: `${repo}/docs`,
      isWanted: resourceTypes.includes('docs'),
      prefixes: [`${repo}/docs/`],
      read: reading => told(repo, 'documentation', readDocs(reading, repo)),
    },
    {
      key: `${repo}/discussions`,
      isWanted: resourceTypes.includes('discussions'),
      prefixes: [`${repo}/discussions/`, `${repo}/discussion-comments/`],
      read: reading => told(repo, 'discussions', readDiscussions(reading, repo)),
    },
  ]
}

async function* told(
  repo: string,
  what: string,
  events: AsyncGenerator<SourceEvent>,
): AsyncGenerator<SourceEvent> {
  yield { event: 'status', message: `reading ${what} of ${repo}` }
  yield* events
}
