import type { Request } from '../../contract/api.js'

/** What the list of memories is narrowed by, as it stands in the address of the page. */
export interface ListQuery {
  q?: string
  type?: string
  tag?: string
  project?: string
  who?: string
  agent?: string
  safety?: string
  pinned?: string
}

export type FilterName = Exclude<keyof ListQuery, 'q'>

/** In the order in which they are shown; the last two do not narrow a recall, which takes clean memories of all. */
export const filterNames: readonly FilterName[] = [
  'type',
  'tag',
  'project',
  'who',
  'pinned',
  'agent',
  'safety',
]

export const filterTitles: Readonly<Record<FilterName, string>> = {
  type: 'Type',
  tag: 'Tag',
  project: 'Project',
  who: 'Who',
  pinned: 'Pinned',
  agent: 'Agent',
  safety: 'Safety',
}

export const onlyInLists: ReadonlySet<FilterName> = new Set(['agent', 'safety'])

/** What `GET /api/memories` and its counts call them. */
export function listFilter({ q: _q, tag, agent, ...rest }: ListQuery): Record<string, string | undefined> {
  return { ...rest, tags: tag, heldBy: agent }
}

type Recall = NonNullable<Request<'POST /api/memory/recall'>['body']>

/** What a recall calls them. */
export function recallFilter({ type, tag, project, who, pinned }: ListQuery) {
  return {
    ...(type && { type: type as Recall['type'] }),
    ...(tag && { tags: tag }),
    ...(project && { project }),
    ...(who && { who }),
    ...(pinned && { pinned: pinned === 'true' }),
  }
}
