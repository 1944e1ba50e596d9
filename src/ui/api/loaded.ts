import { signal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from './api-error.js'
import { isReachable } from './call.js'

export interface Loaded<T> {
  /** The last value, which stays during a reload. */
  value: T | undefined
  error: ApiError | undefined
  isLoading: boolean
  reload(): void
}

const busyMs = 1000
const quietMs = 10_000

/** Increased by changes from this page, and when others may have changed something: components reload. */
export const changes = signal(0)

/**
 * Loads a value and reloads it while the page is visible: every second while it is busy, otherwise every ten.
 * The interval starts when the value has arrived, so that slow replies do not pile up.
 */
export function useFollowed<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  isBusy: (value: T) => boolean,
): Loaded<T> {
  const loaded = useLoaded(load, keys)
  const { value, isLoading, reload } = loaded
  const ms = value !== undefined && isBusy(value) ? busyMs : quietMs
  useEffect(() => {
    if (isLoading) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, ms)
    return () => clearInterval(timer)
  }, [isLoading, ms, reload])
  return loaded
}

/** Calls `reload` when the daemon answers again, if it did not answer the last time. */
export function useReloadOnReturn(error: ApiError | undefined, reload: () => void): void {
  const isBack = isReachable.value
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a return is a reason to try again
  useEffect(() => {
    if (isBack && error?.code === 'unreachable') reload()
  }, [isBack])
}

/**
 * Loads a value whenever one of `keys` changes, and again once a lost daemon is back. Outdated requests are
 * aborted and never shown.
 * @param load returns undefined if there is nothing to load
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T> | undefined,
  keys: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const newest = useRef(load)
  newest.current = load
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what it depends on
  useEffect(() => {
    const left = new AbortController()
    const loading = newest.current(left.signal)
    if (!loading) {
      setState({ value: undefined, error: undefined, isLoading: false })
      return
    }
    setState(({ value }) => ({ value, error: undefined, isLoading: true }))
    loading.then(
      value => !left.signal.aborted && setState({ value, error: undefined, isLoading: false }),
      (thrown: unknown) =>
        !left.signal.aborted &&
        setState(({ value }) => ({ value, error: asApiError(thrown), isLoading: false })),
    )
    return () => left.abort()
  }, [...keys, round])
  const reload = useCallback(() => setRound(count => count + 1), [])
  useReloadOnReturn(state.error, reload)
  return { ...state, reload }
}
