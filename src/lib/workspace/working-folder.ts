import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { parse } from 'node:path'
import { homeIfKnown } from '../files/folders.js'

/** Value of `x-service-project` with which a caller says that it works in no project. */
export const noProject = '-'

/** Headers that say in which project a caller works. */
export type ProjectHeader = Partial<Record<'x-service-project', string>>

/** Returns the header for a folder, key, name or remote; header values may have ASCII characters only. */
export function projectHeader(place: string | undefined): ProjectHeader {
  return place === undefined ? {} : { 'x-service-project': encodeURIComponent(place) }
}

/** Headers that say in which folder a caller works. */
export type FolderHeader = Partial<Record<'x-service-cwd', string>>

/** Returns the header for the folder in which a caller works. */
export function folderHeader(folder: string | undefined): FolderHeader {
  return folder === undefined ? {} : { 'x-service-cwd': encodeURI(folder) }
}

/** Returns the folder of the header; undefined without one, or if it is not percent-encoded text. */
export function decodedFolder(header: string | undefined): string | undefined {
  return header === undefined ? undefined : orNothing(() => decodeURI(header))
}

/**
 * Returns the folder if it can say which project its caller works in. The home folder, a root and the folder
 * for temporary files cannot: people are there by chance, and a note from there is not about that folder.
 */
export function meaningfulFolder(folder: string | undefined): string | undefined {
  if (folder === undefined || folder === parse(folder).root) return undefined
  const real = realOf(folder)
  return [homeIfKnown(), tmpdir(), '/tmp'].some(other => other !== undefined && realOf(other) === real)
    ? undefined
    : folder
}

/** Returns the working directory; undefined when it was removed. */
export function workingFolder(): string | undefined {
  return orNothing(() => process.cwd())
}

function realOf(folder: string): string {
  return orNothing(() => realpathSync(folder)) ?? folder
}

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
