import { effect, signal } from '@preact/signals'
import type { Reply } from '../../contract/api.js'
import { namesOf, shortNameOf } from '../../lib/text/names.js'
import { call } from './call.js'
import { changes, useLoaded } from './loaded.js'

const storageKey = 'project'

/** Key of the project that the page is narrowed to; undefined for all. It lasts as long as the tab. */
export const chosenProject = signal<string | undefined>(sessionStorage.getItem(storageKey) ?? undefined)

/** Returns the short name of a project by any of its keys; '' without one. */
export type NameOfProject = (key: string | null | undefined) => string

effect(() => {
  if (chosenProject.value === undefined) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, chosenProject.value)
})

/** Loads the projects, and their names. Load them once for a list, not in each of its rows. */
export function useProjects(): { projects: Reply<'GET /api/projects'>['projects']; nameOf: NameOfProject } {
  const loaded = useLoaded(signal => call('GET /api/projects', {}, { signal }), [changes.value])
  const projects = loaded.value?.projects ?? []
  const names = namesOf(projects)
  return { projects, nameOf: key => (key ? (names.get(key) ?? shortNameOf(key)) : '') }
}

export function useProjectNames(): NameOfProject {
  return useProjects().nameOf
}
