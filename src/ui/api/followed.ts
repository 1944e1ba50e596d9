import { useEffect } from 'preact/hooks'
import { type Loaded, useLoaded } from './loaded.js'

const busyMs = 1000
const quietMs = 10_000

/**
 * Loads something, and anew by the clock while somebody looks at it: each second while something is at work in it,
 * otherwise every ten. The time counts from when it came, so that a slow answer is waited for.
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
