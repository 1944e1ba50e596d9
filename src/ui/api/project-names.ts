import type { Reply } from '../../contract/api.js'
import { namesOf } from '../../lib/text/project-name.js'
import { call } from './call.js'
import { changes } from './changes.js'
import { useLoaded } from './loaded.js'

/** Returns the short name of a project by any of its keys; '' without one. */
export type NameOfProject = (key: string | null | undefined) => string

/** Loads the projects, and their names. Load them once for a list, not in each of its rows. */
export function useProjects(): { projects: Reply<'GET /api/projects'>['projects']; nameOf: NameOfProject } {
  const loaded = useLoaded(signal => call('GET /api/projects', {}, { signal }), [changes.value])
  const projects = loaded.value?.projects ?? []
  const names = namesOf(projects)
  return { projects, nameOf: key => (key ? (names.get(key) ?? lastSegment(key)) : '') }
}

export function useProjectNames(): NameOfProject {
  return useProjects().nameOf
}

function lastSegment(key: string): string {
  return key.split(/[#/\\]/u).findLast(part => part !== '') ?? key
}
