import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import { type GithubItem, githubItem } from '../../../../contract/knowledge/sources/github-replies.js'
import type { ReadArtifact, SourceEvent } from '../core/kind.js'
import type { Resource } from './keep-up.js'
import type { Start } from './progress.js'
import { type Reading, told } from './reading.js'

export type ItemType = 'issues' | 'pulls'

/** The issues and pull requests of one repository that a pass has told, for those who come after them. */
export interface TellOfItems {
  titles: Map<number, { type: ItemType; title: string }>
  /** When the oldest of those was opened that were not known before; its comments may be as old. */
  newcomersSince?: string
  /** When the oldest of those was opened that a listing of the newest told; no wanted comment is older. */
  oldest?: string
}

/** Issues and pull requests: GitHub lists the ones among the others. */
export function itemsOf(reading: Reading, repo: string, tell: TellOfItems): Resource<GithubItem> {
  const { settings } = reading
  const { state, labels, maxItemsPerRepo } = settings
  const types = typesOf(settings)
  return {
    key: `${repo}/issues`,
    selection: JSON.stringify([types, state, [...labels].sort(), maxItemsPerRepo ?? null]),
    prefixes: [`${repo}/issues/`, `${repo}/pulls/`],
    most: maxItemsPerRepo,
    listing: ({ listing }) => ({
      path: `repos/${repo}/issues`,
      // What was closed, or lost its label, is among the changes only when all are asked for.
      query: listing ? { state, ...(labels.length > 0 && { labels: labels.join(',') }) } : { state: 'all' },
      parse: item => githubItem.safeParse(item).data,
      changedAt: item => item.updated_at,
    }),
    take: async function* (items, start) {
      for (const item of items) yield* takeItem(reading, { repo, item, start, tell })
    },
  }
}

async function* takeItem(
  reading: Reading,
  { repo, item, start, tell }: { repo: string; item: GithubItem; start: Start; tell: TellOfItems },
): AsyncGenerator<SourceEvent, void> {
  const { pass, settings } = reading
  const type = typeOf(item)
  if (!typesOf(settings).includes(type)) return
  const path = itemPath(repo, type, item.number)
  if (!isWanted(item, settings)) {
    if (!(await pass.known(path))) return
    yield { event: 'removed', path }
    for (const prefix of commentPrefixes(repo, item.number)) yield { event: 'listed', prefix }
    return
  }
  tell.titles.set(item.number, { type, title: item.title })
  if (start.listing && settings.maxItemsPerRepo !== undefined && item.created_at < (tell.oldest ?? '~'))
    tell.oldest = item.created_at
  if (!start.listing && !(await pass.known(path)) && item.created_at < (tell.newcomersSince ?? '~'))
    tell.newcomersSince = item.created_at
  yield await told(reading, itemArtifact(repo, type, item))
}

export function typesOf({ resourceTypes }: Pick<GithubSettings, 'resourceTypes'>): ItemType[] {
  return (['issues', 'pulls'] as const).filter(type => resourceTypes.includes(type))
}

export function itemPath(repo: string, type: ItemType, number: number): string {
  return `${repo}/${type}/${number}`
}

/** Below these stand the comments of one issue or pull request. */
export function commentPrefixes(repo: string, number: number): string[] {
  return [`${repo}/comments/${number}/`, `${repo}/review-comments/${number}/`]
}

function typeOf({ pull_request }: GithubItem): ItemType {
  return pull_request ? 'pulls' : 'issues'
}

function isWanted(item: GithubItem, { state, labels }: GithubSettings): boolean {
  if (state !== 'all' && item.state !== state) return false
  const names = new Set(labelsOf(item).map(name => name.toLowerCase()))
  return labels.every(label => names.has(label.toLowerCase()))
}

function labelsOf({ labels }: GithubItem): string[] {
  return labels.flatMap(label => (typeof label === 'string' ? label : (label.name ?? [])))
}

function itemArtifact(repo: string, type: ItemType, item: GithubItem): Omit<ReadArtifact, 'fingerprint'> {
  const { number, title, body, html_url, user, updated_at, milestone } = item
  const labels = labelsOf(item)
  const author = user?.login
  const facts = [
    `${type === 'pulls' ? 'Pull request' : 'Issue'} ${repo}#${number}`,
    standingOf(item),
    ...(author ? [`opened by ${author}`] : []),
    ...(labels.length > 0 ? [`labels: ${labels.join(', ')}`] : []),
    ...(milestone ? [`milestone: ${milestone.title}`] : []),
  ]
  return {
    path: itemPath(repo, type, number),
    kind: type === 'pulls' ? 'pull-request' : 'issue',
    title,
    text: `${facts.join(', ')}\n\n${body ?? ''}`.trimEnd(),
    names: [`#${number}`, `${repo}#${number}`, ...labels],
    ...(html_url && { url: html_url }),
    ...(author && { author }),
    updatedAt: updated_at,
  }
}

function standingOf({ state, state_reason, pull_request }: GithubItem): string {
  if (pull_request?.merged_at) return 'merged'
  if (state === 'closed' && state_reason) return `closed as ${state_reason.replaceAll('_', ' ')}`
  return state
}
