import type { MemoryFilter } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from './caller.js'

/**
 * Restricts a read to the project its caller works in and to memories of no project, unless the request names a
 * project (projects.md#recall). A caller that works in no project reads memories of none.
 */
export function nearOf(
  { project }: Pick<Caller, 'project'>,
  named: string | null | undefined,
): Pick<MemoryFilter, 'project' | 'orNoProject'> {
  if (named || project === undefined) return {}
  return project === null ? { orNoProject: true } : { project, orNoProject: true }
}
