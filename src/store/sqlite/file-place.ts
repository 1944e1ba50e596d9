import { type Stats, statSync } from 'node:fs'
import { mayRenumber } from '../../lib/files/network-disk.js'

/** SQLite's own code for this case, which it detects only without a write-ahead log. */
const code = 'SQLITE_READONLY_DBMOVED'

/**
 * Watches whether an open database is still the file at its path. SQLite goes on writing to a removed or
 * moved file, so acknowledged writes would be lost with the process.
 * @param file the database, which must be open.
 * @param look is passed by tests.
 * @returns a check that takes some microseconds and throws an Error with the code `SQLITE_READONLY_DBMOVED`
 * when another file, or none, is at the path.
 */
export function watchPlace(file: string, { statsOf, renumbers }: Look = theDisk): () => void {
  let opened = statsOf(file)
  const isInPlace = (found: FileNumbers | undefined): boolean =>
    found?.ino === opened?.ino && found?.dev === opened?.dev
  return () => {
    if (isInPlace(statsOf(file))) return
    // A slow or remote disk may be wrong once.
    const found = statsOf(file)
    if (isInPlace(found)) return
    // Only a missing file can be told from a moved one there.
    if (found && renumbers(file)) {
      opened = found
      return
    }
    throw Object.assign(new Error(`${file} is not the file that was opened`), { code })
  }
}

type FileNumbers = Pick<Stats, 'ino' | 'dev'>

interface Look {
  statsOf: (file: string) => FileNumbers | undefined
  /** Returns true if the disk does not keep the numbers of its files. */
  renumbers: (file: string) => boolean
}

const theDisk: Look = { statsOf: fileStats, renumbers: mayRenumber }

function fileStats(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false })
}
