import { useEffect } from 'preact/hooks'
import { type Loaded, useLoaded } from './loaded.js'

const busyMs = 1000
const quietMs = 10_000

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
