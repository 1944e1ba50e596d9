import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.js'

export interface Paged<R> {
  /** How many there are; undefined until the first page came. */
  count: number | undefined
  rowAt: (position: number) => R | undefined
  /** Loads what is missing between two positions. */
  need: (from: number, to: number) => void
  error: ApiError | undefined
  /** Loads everything anew that is asked for from now on. */
  reload: () => void
}

type LoadPage<R> = (
  page: { offset: number; limit: number },
  signal: AbortSignal,
) => Promise<{ rows: readonly R[]; total: number }>

interface Held<R> {
  pages: Map<number, readonly R[]>
  asked: Set<number>
  left: AbortController
}

/** A long list, of which the pages are loaded that are looked at. */
export function usePaged<R>(load: LoadPage<R>, keys: readonly unknown[], pageSize = 100): Paged<R> {
  const [count, setCount] = useState<number>()
  const [error, setError] = useState<ApiError>()
  const [, setDrawn] = useState(0)
  const [round, setRound] = useState(0)
  const newest = useRef(load)
  newest.current = load
  const held = useRef<Held<R>>(nothingHeld())

  const loadPage = useCallback(
    async (page: number) => {
      const { pages, asked, left } = held.current
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
    held.current = nothingHeld()
    void loadPage(0)
    const { left } = held.current
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
    held.current.pages.get(Math.floor(position / pageSize))?.[position % pageSize]
  const reload = useCallback(() => setRound(before => before + 1), [])
  return { count, rowAt, need, error, reload }
}

function nothingHeld<R>(): Held<R> {
  return { pages: new Map(), asked: new Set(), left: new AbortController() }
}
