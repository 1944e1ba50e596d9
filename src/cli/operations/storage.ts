import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { type Colors, formatFields } from '../terminal/output.js'

type Status = Reply<'GET /api/storage'>
type Check = Status['checks'][number]

/** Formats where memories are stored, with the state of that store. */
export function storageText(status: Status, colors: Colors): string {
  const { kind, place, server, bytes, schema, checks } = status
  const fields = [
    ['stored in', kind === 'file' ? place : `PostgreSQL, ${place}`],
    ...(bytes === null ? [] : [['size', formatBytes(bytes)] as const]),
    ['tables', `version ${schema.applied}${schema.applied === schema.known ? '' : ` of ${schema.known}`}`],
    ...(server ? serverFields(server) : []),
  ] as const
  return `${formatFields(fields, colors)}\n\n${checksText(checks, colors)}`
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
