import type { MemoryFilter } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from './caller.js'

/**
 * Restricts a read to the project its caller works in and to memories of no project, unless the request names a
 * project (projects.md#recall).
 */
export function nearOf(
  { project }: Pick<Caller, 'project'>,
  named: string | null | undefined,
): Pick<MemoryFilter, 'project' | 'orNoProject'> {
  return named || project === undefined ? {} : { project, orNoProject: true }
}
