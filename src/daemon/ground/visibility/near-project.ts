import type { MemoryFilter } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from './caller.js'

/**
 * Restricts a read to the caller's project and to memories without a project, unless the request names a
 * project (projects.md#recall). A caller without a project reads memories without one.
 */
export function nearOf(
  { project }: Pick<Caller, 'project'>,
  named: string | null | undefined,
): Pick<MemoryFilter, 'project' | 'orNoProject'> {
  if (named || project === undefined) return {}
  return project === null ? { orNoProject: true } : { project, orNoProject: true }
}
