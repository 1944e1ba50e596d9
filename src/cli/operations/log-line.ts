import { jsonOf } from '../../lib/text/json-of.js'
import type { Colors } from '../terminal/output.js'

const levels: Readonly<Record<number, { name: string; color: 'dim' | 'green' | 'yellow' | 'red' }>> = {
  10: { name: 'trace', color: 'dim' },
  20: { name: 'debug', color: 'dim' },
  30: { name: 'info', color: 'green' },
  40: { name: 'warn', color: 'yellow' },
  50: { name: 'error', color: 'red' },
  60: { name: 'fatal', color: 'red' },
}

/** A line of the daemon's JSON log for a person: time, level, message, the other fields. Other text stays as it is. */
export function formatLogLine(line: string, colors: Colors): string {
  const entry = parse(line)
  if (!entry) return line
  const { level, time, pid: _pid, msg, err, ...fields } = entry
  const { name, color } = levels[Number(level)] ?? { name: String(level), color: 'dim' }
  const error = (err as { message?: unknown; stack?: unknown } | undefined) ?? {}
  const rest = Object.entries(fields).map(([key, value]) => colors.dim(`${key}=${compact(value)}`))
  const main = [colors.dim(String(time)), colors[color](name.padEnd(5)), String(msg ?? ''), ...rest].join(' ')
  const detail = error.stack ?? error.message
  return detail === undefined ? main : `${main}\n${colors.dim(String(detail))}`
}

function parse(line: string): Record<string, unknown> | undefined {
  const value = jsonOf(line)
  return typeof value === 'object' && value !== null && 'level' in value
    ? (value as Record<string, unknown>)
    : undefined
}

function compact(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
