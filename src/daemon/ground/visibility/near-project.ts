import type { MemoryFilter } from '../../../store/tables/memory/memory-filter.js'
import type { Ground } from '../ground.js'
import type { Caller } from './caller.js'

/**
 * Restricts a read to the caller's project and to memories without a project, unless the request names a
 * project (projects.md#recall). A caller without a project reads memories without one. Isolated branches hide
 * those of others, unless the request names a branch (projects.md#branches).
 */
export async function nearOf(
  { projects }: Pick<Ground, 'projects'>,
  { project, repository }: Pick<Caller, 'project' | 'repository'>,
  named: { project?: string | null | undefined; branch?: string | null | undefined },
): Promise<Pick<MemoryFilter, 'project' | 'orNoProject' | 'branches'>> {
  const branches = named.branch ? undefined : await projects.branches.filterFor(project, repository)
  const near =
    named.project || project === undefined
      ? {}
      : { ...(project !== null && { project }), orNoProject: true as const }
  return { ...near, ...(branches && { branches }) }
}
