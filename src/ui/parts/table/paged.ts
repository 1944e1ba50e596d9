import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.js'
import { useReloadOnReturn } from '../../api/loaded.js'

export interface Paged<R> {
  /** Total number; undefined until the first page has arrived. */
  count: number | undefined
  rowAt: (position: number) => R | undefined
  /** Loads missing rows between two positions. */
  need: (from: number, to: number) => void
  error: ApiError | undefined
  /** Discards all rows, so that they are loaded again on demand. */
  reload: () => void
}

type LoadPage<R> = (
  page: { offset: number; limit: number },
  signal: AbortSignal,
) => Promise<{ rows: readonly R[]; total: number }>

interface PageCache<R> {
  pages: Map<number, readonly R[]>
  asked: Set<number>
  left: AbortController
}

/** A long list whose pages are loaded on demand. */
export function usePaged<R>(load: LoadPage<R>, keys: readonly unknown[], pageSize = 100): Paged<R> {
  const [count, setCount] = useState<number>()
  const [error, setError] = useState<ApiError>()
  const [, setDrawn] = useState(0)
  const [round, setRound] = useState(0)
  const newest = useRef(load)
  newest.current = load
  const cache = useRef<PageCache<R>>(emptyCache())

  const loadPage = useCallback(
    async (page: number) => {
      const { pages, asked, left } = cache.current
      if (asked.has(page)) return
      asked.add(page)
      try {
        const { rows, total } = await newest.current(
          { offset: page * pageSize, limit: pageSize },
          left.signal,
        )
        if (left.signal.aborted) return
        pages.set(page, rows)
        setCount(total)
        setError(undefined)
        setDrawn(drawn => drawn + 1)
      } catch (thrown) {
        if (left.signal.aborted) return
        asked.delete(page)
        setError(asApiError(thrown))
      }
    },
    [pageSize],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what it depends on
  useEffect(() => {
    cache.current = emptyCache()
    void loadPage(0)
    const { left } = cache.current
    return () => left.abort()
  }, [...keys, round, loadPage])

  const need = useCallback(
    (from: number, to: number) => {
      const last = Math.floor(Math.max(from, to - 1) / pageSize)
      for (let page = Math.floor(from / pageSize); page <= last; page++) void loadPage(page)
    },
    [loadPage, pageSize],
  )
  const rowAt = (position: number): R | undefined =>
    cache.current.pages.get(Math.floor(position / pageSize))?.[position % pageSize]
  const reload = useCallback(() => setRound(before => before + 1), [])
  useReloadOnReturn(error, reload)
  return { count, rowAt, need, error, reload }
}

function emptyCache<R>(): PageCache<R> {
  return { pages: new Map(), asked: new Set(), left: new AbortController() }
}
