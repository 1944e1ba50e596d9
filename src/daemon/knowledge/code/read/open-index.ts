import { statSync } from 'node:fs'
import { AppError } from '../../../../contract/ground/errors.js'
import { aboutCode, openCodeFile } from '../../../../store/tables/knowledge/code-file.js'
import { type CodeReads, codeReads } from '../../../../store/tables/knowledge/code-reads.js'
import type { CodeAbout } from '../../../../store/tables/knowledge/code-rows.js'
import { refuseLinks } from '../index/indexing/index-folder.js'

/** A project as reads see it: its folder without links, and the file of its index. */
export interface IndexPlace {
  root: string
  file: string
}

/** The index of a project while one question is answered. */
export interface OpenIndex extends IndexPlace {
  reads: CodeReads
  about: CodeAbout
  bytes: number
}

/**
 * Opens the index of a project for one question: a file that stays open would keep its place on the disk when it is
 * cleared, and opening takes a millisecond.
 * @throws AppError `not_indexed`, `conflict` where a link stands in its place
 */
export function withIndex<T>(place: IndexPlace, ask: (index: OpenIndex) => T): T {
  refuseLinks(place.root)
  const connection = openCodeFile(place.file)
  if (!connection) throw notIndexed(place.root)
  try {
    const about = aboutCode(connection) as CodeAbout
    const bytes = sizeOf(place.file) + sizeOf(`${place.file}-wal`)
    return ask({ ...place, reads: codeReads(connection), about, bytes })
  } finally {
    connection.close()
  }
}

export function notIndexed(root: string): AppError {
  return new AppError('not_indexed', `the code of ${root} is not indexed; run: memory code index ${root}`)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
