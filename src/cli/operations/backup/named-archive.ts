import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { workspacePaths } from '../../../lib/paths.js'

/** What a person names: a backup by its id, or an archive by its path. */
export type NamedArchive = { id: string } | { file: string }

/** A name with a slash, or with the ending of archives, is a path from the current folder. */
export function namedArchive(word: string): NamedArchive {
  return /[/\\]|\.tar\.gz$/u.test(word) ? { file: resolve(word) } : { id: word }
}

/** Where an archive is, for a daemon that can't be asked: its folder is the usual one then. */
export function placeOf(named: NamedArchive, workspace: string | undefined): string | undefined {
  const file =
    'file' in named ? named.file : join(workspacePaths(workspace).root, 'backups', `${named.id}.tar.gz`)
  return existsSync(file) ? file : undefined
}
