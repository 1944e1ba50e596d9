import { type Dispatch, useEffect } from 'react'
import type { BrowseApi } from './browse-api.js'
import type { BrowseAction, BrowseState } from './browse-state.js'

/** The list follows the typing once it pauses. */
export const debounceMs = 120

/** Searches whenever query, filter or data change; a search that is no longer wanted is given up. */
export function useSearch(
  api: BrowseApi,
  { query, filter, revision }: BrowseState,
  dispatch: Dispatch<BrowseAction>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a revision is a reason to search the same again
  useEffect(() => {
    const given = new AbortController()
    const timer = setTimeout(async () => {
      dispatch({ do: 'searching' })
      try {
        const rows = await api.search(query, filter, given.signal)
        if (!given.signal.aborted) dispatch({ do: 'found', rows })
      } catch (error) {
        if (!given.signal.aborted) dispatch({ do: 'failed', text: (error as Error).message })
      }
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      given.abort()
    }
  }, [api, query, filter, revision, dispatch])
}

/** Carries out the change that the state asks for, once. */
export function useTask(api: BrowseApi, { task }: BrowseState, dispatch: Dispatch<BrowseAction>): void {
  useEffect(() => {
    if (!task) return
    api.run(task).then(
      text => dispatch({ do: 'succeeded', text }),
      error => dispatch({ do: 'failed', text: (error as Error).message }),
    )
  }, [api, task, dispatch])
}
