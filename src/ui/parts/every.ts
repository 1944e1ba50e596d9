import { useEffect, useState } from 'preact/hooks'

/** Counts up by the clock while somebody looks at the page: what shows what is going on now is loaded anew by it. */
export function useEvery(ms: number): number {
  const [round, setRound] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound(before => before + 1)
    }, ms)
    return () => clearInterval(timer)
  }, [ms])
  return round
}

/** A value once it has stood still for so long: what is typed is searched for when the fingers rest. */
export function useLater<T>(value: T, ms = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
