import type { Request } from '../../contract/api.js'

/** Filters of the memory list in the page's address. */
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

/** In display order. The last two do not apply to a recall, which covers clean memories of all agents. */
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

/** Converts filters to the parameters of `GET /api/memories` and its counts. */
export function listFilter({ q: _q, tag, agent, ...rest }: ListQuery): Record<string, string | undefined> {
  return { ...rest, tags: tag, heldBy: agent }
}

type Recall = NonNullable<Request<'POST /api/memory/recall'>['body']>

/** Converts filters to the parameters of a recall. */
export function recallFilter({ type, tag, project, who, pinned }: ListQuery) {
  return {
    ...(type && { type: type as Recall['type'] }),
    ...(tag && { tags: tag }),
    ...(project && { project }),
    ...(who && { who }),
    ...(pinned && { pinned: pinned === 'true' }),
  }
}
