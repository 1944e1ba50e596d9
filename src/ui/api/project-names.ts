import { call } from './call.js'
import { changes } from './changes.js'
import { useLoaded } from './loaded.js'

/** Loads the names of projects. @returns a function that gives the short name of a key; '' without one */
export function useProjectNames(): (key: string | null | undefined) => string {
  const loaded = useLoaded(signal => call('GET /api/projects', {}, { signal }), [changes.value])
  const names = new Map(
    loaded.value?.projects.flatMap(({ keys, name }) => keys.map(key => [key, name] as const)),
  )
  return key => (key ? (names.get(key) ?? lastSegment(key)) : '')
}

function lastSegment(key: string): string {
  return key.split(/[#/\\]/u).findLast(part => part !== '') ?? key
}
