import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { quoted } from '../../../lib/text/clip.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'
import { CliError } from '../../shell/cli-error.js'

/** What a person names: a backup by its id, or an archive by its path. */
export type NamedArchive = { id: string } | { file: string }

/**
 * A name with a slash, or with the ending of archives, is a path from the current folder.
 * @throws CliError for a word that no backup can be called.
 */
export function namedArchive(word: string): NamedArchive {
  if (/[/\\]|\.tar\.gz$/u.test(word)) return { file: resolve(word) }
  if (/^(?:backup|daily)-/u.test(word)) return { id: word }
  throw new CliError(`${quoted(word)} is no backup`, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: ['memory backup list', 'name an archive by its path, as in ./NAME.tar.gz'],
  })
}

/** Where an archive is, for a daemon that can't be asked: its folder is the usual one then. */
export function placeOf(named: NamedArchive, workspace: string | undefined): string | undefined {
  const file =
    'file' in named ? named.file : join(workspacePaths(workspace).root, 'backups', `${named.id}.tar.gz`)
  return existsSync(file) ? file : undefined
}
