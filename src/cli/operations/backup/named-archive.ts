import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { quoted } from '../../../lib/text/clip.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'
import { CliError } from '../../shell/cli-error.js'

/** A backup by its id, or an archive by its path. */
export type NamedArchive = { id: string } | { file: string }

/**
 * Parses the user's argument: with a slash or an archive's suffix it is a path relative to the current
 * folder.
 * @throws CliError for a word that cannot be the name of a backup.
 */
export function namedArchive(word: string): NamedArchive {
  if (/[/\\]|\.tar\.gz(?:\.age)?$/u.test(word)) return { file: resolve(word) }
  if (/^(?:backup|daily)-/u.test(word)) return { id: word }
  throw new CliError(`${quoted(word)} is not a backup`, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: ['memory backup list', 'give the path of an archive, such as ./NAME.tar.gz'],
  })
}

/**
 * Returns the path of an archive if the daemon cannot be asked; backups are expected in the default folder
 * then.
 */
export function placeOf(named: NamedArchive, workspace: string | undefined): string | undefined {
  const folder = join(workspacePaths(workspace).root, 'backups')
  const places =
    'file' in named ? [named.file] : ['.age', ''].map(end => join(folder, `${named.id}.tar.gz${end}`))
  return places.find(place => existsSync(place))
}
