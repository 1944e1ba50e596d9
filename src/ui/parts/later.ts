import { useEffect, useState } from 'preact/hooks'

/** A value once it has stood still for so long: what is typed is searched for when the fingers rest. */
export function useLater<T>(value: T, ms = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
