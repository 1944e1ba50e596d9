import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { formatBytes } from '../../../lib/text/format-bytes.js'
import { type Colors, formatDuration, formatFields, formatTable } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

type List = Reply<'GET /api/backup'>
type Backup = List['backups'][number]
type Verified = Reply<'POST /api/backup/:id/verify'>
type Restore = Reply<'POST /api/backup/:id/restore'>

/** Formats the list of backups for people. */
export function listText({ backups, folder, settings, lastError, ...list }: List, colors: Colors): string {
  const { pendingRestore, lastRestore, running } = list
  const every = `every ${countOf(settings.intervalHours, 'hour')}, ${settings.keep} kept`
  return [
    backups.length === 0
      ? 'There is no backup yet; memory backup create makes one.'
      : formatTable(
          ['backup', 'made', 'size', 'memories', ''],
          backups.map(one => [
            one.id,
            one.createdAt,
            formatBytes(one.bytes),
            one.memories === null ? '?' : String(one.memories),
            one.problems.length > 0 ? colors.red('the database had a fault') : '',
          ]),
          colors,
        ),
    `In ${plainLine(folder)}; ${settings.enabled ? every : 'none by the clock (backup.enabled is false)'}.`,
    ...(running ? [`Under way: ${running.what}, ${running.phase}.`] : []),
    ...(lastError ? [colors.red(`The last one failed: ${plainLine(lastError)}`)] : []),
    ...(pendingRestore ? [`A restore is prepared; memory daemon restart takes it in.`] : []),
    ...(lastRestore?.canUndo
      ? [`Restored ${plainLine(lastRestore.id)} at ${lastRestore.at}; memory backup undo takes that back.`]
      : []),
  ].join('\n')
}

/** Describes a created backup. */
export function createdText(backup: Backup, colors: Colors): string {
  const { id, bytes, memories, files, durationMs, file, problems } = backup
  const size = `${countOf(memories ?? 0, 'memory', 'memories')}, ${countOf(files ?? 0, 'file')}, ${formatBytes(bytes)}`
  const time = durationMs === null ? '' : ` in ${formatDuration(durationMs / 1000)}`
  return [
    `${colors.green('✓')} ${id}: ${size}${time}`,
    `  ${plainLine(file)}`,
    ...problems.map(line => colors.red(`  the database has a fault: ${plainLine(line)}`)),
  ].join('\n')
}

export function verifiedText({ id, ok, problems, ...read }: Verified, colors: Colors): string {
  if (!ok)
    return [`${plainLine(id)} is not whole:`, ...problems.map(line => `  ${plainLine(line)}`)].join('\n')
  const rows = Object.values(read.tables).reduce((sum, count) => sum + count, 0)
  return [
    `${colors.green('✓')} ${plainLine(id)} is whole`,
    formatFields(
      [
        ['made', `${read.createdAt} by ${plainLine(read.version ?? '')}`],
        ['memories', String(read.memories)],
        [
          'rows',
          `${rows} in ${countOf(Object.keys(read.tables).length, 'table')}, as counted when it was made`,
        ],
        ['files', `${read.files}, ${formatBytes(read.bytes)}, checksums as noted`],
      ],
      colors,
    ),
  ].join('\n')
}

/** Describes the effect of a restore, one item per line. */
export function restoreLines({ createdAt, version, memories, files, secretsKey }: Restore): string[] {
  return [
    `The workspace becomes what it was at ${createdAt} (memory-service ${plainLine(version ?? '')}):`,
    `  ${countOf(memories.now, 'memory', 'memories')} now, ${memories.inBackup} then`,
    `  ${countOf(files.replaced, 'file')} replaced, ${files.added} added, ${files.movedAway} moved away`,
    ...(secretsKey === 'other'
      ? [
          '  the secrets in it were sealed by another key: they need the .secrets/machine.key of their machine',
        ]
      : []),
    'What is there now is kept for a month; memory backup undo brings it back.',
  ]
}
