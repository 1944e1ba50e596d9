import type { Reply } from '../../../contract/api.js'
import { formatBytes } from '../../../lib/text/count-of.js'
import { type Colors, formatFields } from '../../terminal/output.js'

type Status = Reply<'GET /api/storage'>
type Check = Status['checks'][number]

/** Formats where memories are stored, with the state of that store. */
export function storageText(status: Status, colors: Colors): string {
  const { kind, place, server, bytes, schema, checks, move } = status
  const fields = [
    ['stored in', kind === 'file' ? place : `PostgreSQL, ${place}`],
    ...(bytes === null ? [] : [['size', formatBytes(bytes)] as const]),
    ['tables', `version ${schema.applied}${schema.applied >= schema.known ? '' : ` of ${schema.known}`}`],
    ...(server ? serverFields(server) : []),
    ...(move ? [['last move', moveText(move)] as const] : []),
  ] as const
  return `${formatFields(fields, colors)}\n\n${checksText(checks, colors)}`
}

function moveText({ phase, problem, to, old }: NonNullable<Status['move']>): string {
  if (problem) return `${phase}: ${problem}`
  return `${phase} to ${to}${old ? `; the old store is kept: ${old} (memory storage move --confirm removes it)` : ''}`
}

function serverFields({ role, latencyMs, connections, pool }: NonNullable<Status['server']>) {
  const own = pool ? `; this daemon reads by ${pool.open} of ${pool.most}, ${pool.waiting} waiting` : ''
  return [
    ['role', role],
    ['round trip', `${latencyMs} ms`],
    ['connections', `${connections.used} of ${connections.most} on the server${own}`],
  ] as const
}

/** One line for each check, with the remedy below it. */
export function checksText(checks: readonly Check[], colors: Colors): string {
  const marks = {
    ok: colors.green('ok     '),
    info: colors.cyan('info   '),
    warning: colors.yellow('warning'),
    error: colors.red('error  '),
  } as const
  return checks
    .flatMap(({ severity, id, evidence, fix }) => [
      `${marks[severity]} ${id}: ${evidence}`,
      ...(fix && severity !== 'ok' ? [`        ${colors.dim('fix:')} ${fix}`] : []),
    ])
    .join('\n')
}

type Plan = Reply<'POST /api/storage/move'>
type Move = NonNullable<Status['move']>

const largestTables = 5

/** Formats what would be moved, and what the target lacks. */
export function planLines({ from, to, tables, rows, bytes, checks }: Plan): string[] {
  const largest = [...tables].sort((a, b) => b.rows - a.rows).slice(0, largestTables)
  return [
    `from  ${from}${bytes === null ? '' : `, ${formatBytes(bytes)}`}`,
    `to    ${to}`,
    `rows  ${rows} in ${tables.length} tables (${largest.map(({ name, rows: count }) => `${name} ${count}`).join(', ')})`,
    ...checks
      .filter(({ severity }) => severity !== 'ok')
      .map(({ severity, evidence, fix }) => `${severity}: ${evidence}${fix ? `; ${fix}` : ''}`),
    'Requests get 503 until it is done; a move that fails changes nothing.',
  ]
}

export function movedLines({ rows, tables, to, old, withNul }: Move): string[] {
  return [
    `moved ${rows} rows of ${tables} tables to ${to}; counts and hashes are equal`,
    ...(withNul > 0 ? [`${withNul} texts lost a NUL, which PostgreSQL cannot store`] : []),
    `the old store is kept: ${old}`,
    'memory storage move --confirm removes it',
  ]
}
