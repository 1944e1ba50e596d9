import { statSync } from 'node:fs'
import { AppError } from '../../../../contract/ground/errors.js'
import { aboutCode, openCodeFile } from '../../../../store/tables/knowledge/code-file.js'
import { type CodeReads, codeReads } from '../../../../store/tables/knowledge/code-reads.js'
import type { CodeAbout } from '../../../../store/tables/knowledge/code-rows.js'
import { refuseLinks } from '../index/indexing/index-folder.js'

/** The folder of a project without links, and the file of its index. */
export interface IndexPlace {
  root: string
  file: string
}

/** The opened index of a project during one question. */
export interface OpenIndex extends IndexPlace {
  reads: CodeReads
  about: CodeAbout
  bytes: number
}

/**
 * Opens the index of a project for one question. It is not left open, because a cleared index would then keep
 * its disk space; opening takes a millisecond.
 * @throws AppError `not_indexed`, `conflict` if a link is in its place
 */
export function withIndex<T>(place: IndexPlace, ask: (index: OpenIndex) => T): T {
  refuseLinks(place.file)
  const connection = openCodeFile(place.file)
  if (!connection) throw notIndexedError(place.root)
  try {
    const about = aboutCode(connection) as CodeAbout
    const bytes = sizeOf(place.file) + sizeOf(`${place.file}-wal`)
    return ask({ ...place, reads: codeReads(connection), about, bytes })
  } finally {
    connection.close()
  }
}

export function notIndexedError(root: string): AppError {
  return new AppError('not_indexed', `the code of ${root} is not indexed; run: memory code index ${root}`)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
