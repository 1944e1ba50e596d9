import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Reply } from '../../contract/api.js'
import { quoted } from '../../lib/text/clip.js'
import { countOf, formatBytes } from '../../lib/text/count-of.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { CliError } from '../shell/cli-error.js'
import { type Colors, colorsFor, formatDuration, formatFields, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type List = Reply<'GET /api/backup'>
type Backup = List['backups'][number]
type Verification = Reply<'POST /api/backup/:id/verify'>
type Restore = Reply<'POST /api/backup/:id/restore'>

/** A backup by its id, or an archive by its path. */
export type NamedArchive = { id: string } | { file: string }

/** Formats the list of backups for people. */
export function listText({ backups, folder, settings, lastError, ...list }: List, colors: Colors): string {
  const { pendingRestore, lastRestore, running } = list
  const every = `one every ${countOf(settings.intervalHours, 'hour')}, the newest ${settings.keep} are kept`
  return [
    backups.length === 0
      ? 'No backups yet. Create one: memory backup create'
      : formatTable(
          ['backup', 'created', 'size', 'memories', 'sealed', ''],
          backups.map(one => [
            one.id,
            one.createdAt,
            formatBytes(one.bytes),
            one.memories === null ? '?' : String(one.memories),
            one.sealed ? 'yes' : 'no',
            one.problems.length > 0 ? colors.red('the database was damaged') : '',
          ]),
          colors,
        ),
    `Folder: ${plainLine(folder)}. Schedule: ${settings.enabled ? every : 'off (backup.enabled is false)'}.`,
    ...(running ? [`Running: ${running.what}, ${running.phase}.`] : []),
    ...(lastError ? [colors.red(`The last backup failed: ${plainLine(lastError)}`)] : []),
    ...(pendingRestore ? [`A restore is prepared. Apply it: memory daemon restart`] : []),
    ...(lastRestore?.canUndo
      ? [`Restored ${plainLine(lastRestore.id)} at ${lastRestore.at}. Undo it: memory backup undo`]
      : []),
  ].join('\n')
}

/** Describes a created backup. */
export function createdText(backup: Backup, colors: Colors): string {
  const { id, bytes, memories, files, durationMs, file, problems, sealed } = backup
  const size = `${countOf(memories ?? 0, 'memory', 'memories')}, ${countOf(files ?? 0, 'file')}, ${formatBytes(bytes)}`
  const time = durationMs === null ? '' : ` in ${formatDuration(durationMs / 1000)}`
  return [
    `${colors.green('✓')} ${id}: ${size}${time}${sealed ? ', sealed' : ''}`,
    `  ${plainLine(file)}`,
    ...problems.map(line => colors.red(`  the database is damaged: ${plainLine(line)}`)),
  ].join('\n')
}

export function verifiedText({ id, ok, problems, ...read }: Verification, colors: Colors): string {
  if (!ok) return [`${plainLine(id)} is damaged:`, ...problems.map(line => `  ${plainLine(line)}`)].join('\n')
  const rows = Object.values(read.tables).reduce((sum, count) => sum + count, 0)
  return [
    `${colors.green('✓')} ${plainLine(id)} is intact`,
    formatFields(
      [
        ['created', `${read.createdAt} by version ${plainLine(read.version ?? '')}`],
        ['memories', String(read.memories)],
        [
          'rows',
          `${rows} in ${countOf(Object.keys(read.tables).length, 'table')}, the same as when it was created`,
        ],
        ['files', `${read.files}, ${formatBytes(read.bytes)}, all checksums match`],
      ],
      colors,
    ),
  ].join('\n')
}

/** Describes the effect of a restore, one item per line. */
export function restoreLines({ createdAt, version, memories, files, secretsKey, synced }: Restore): string[] {
  return [
    `The workspace is restored to ${createdAt} (memory-service ${plainLine(version ?? '')}):`,
    `  ${countOf(memories.now, 'memory', 'memories')} now, ${memories.inBackup} in the backup`,
    `  ${countOf(files.replaced, 'file')} replaced, ${files.added} added, ${files.movedAway} moved away`,
    ...(secretsKey === 'other'
      ? [
          '  its secrets were encrypted with another key: copy .secrets/machine.key from the machine they were saved on',
        ]
      : []),
    ...(synced ? ['  sync brings later changes back, and what was forgotten since stays forgotten'] : []),
    'The current workspace is kept for a month. To bring it back: memory backup undo',
  ]
}

/** Says that a restore is done. @param memories null when the archive does not say how many */
export function restoredLine(memories: number | null): string {
  const restored = memories === null ? 'the backup' : countOf(memories, 'memory', 'memories')
  return `${colorsFor().green('✓')} Restored ${restored}`
}

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
