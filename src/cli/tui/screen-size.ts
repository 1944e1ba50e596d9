import { useStdout } from 'ink'
import { useEffect, useState } from 'react'

export interface ScreenSize {
  columns: number
  rows: number
}

/** Size of the terminal, also after it changed. */
export function useScreenSize(): ScreenSize {
  const { stdout } = useStdout()
  const [size, setSize] = useState(() => sizeOf(stdout))
  useEffect(() => {
    const follow = () => setSize(sizeOf(stdout))
    stdout.on('resize', follow)
    return () => {
      stdout.off('resize', follow)
    }
  }, [stdout])
  return size
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): ScreenSize {
  return { columns: columns || 80, rows: rows || 24 }
}
