import { useEffect, useState } from 'preact/hooks'

/** Returns a counter that increases regularly while the page is visible, to reload live data. */
export function useInterval(ms: number): number {
  const [round, setRound] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound(before => before + 1)
    }, ms)
    return () => clearInterval(timer)
  }, [ms])
  return round
}

/** Returns a value once it has been stable for a while, so that a search starts when typing pauses. */
export function useDebounced<T>(value: T, ms = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
