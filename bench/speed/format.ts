import { environmentNote } from '../environment.js'
import type { SpeedResult } from './suite.js'

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const count = (value: number): string => Math.round(value).toLocaleString('en')
const times = (value: number): string => (Number.isNaN(value) ? '' : value.toFixed(2))
const mb = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(0)} MB`)

export function formatSpeedSuite({ starts, calls, footprints, processes }: SpeedResult): string {
  return [
    ...table(
      ['start', 'build', 'ready', 'its processor', 'first recall answered'],
      starts.map(({ what, build, readyMs, readyCpuMs, answeredMs }) => [
        ...[what, build, ms(readyMs)],
        ...[ms(readyCpuMs), ms(answeredMs)],
      ]),
    ),
    ...table(
      ['program', 'build', 'p50', 'times `node -e 0`', 'its processor, times'],
      processes.map(({ what, build, p50Ms, ratio, cpuRatio }) => [
        ...[what, build, ms(p50Ms)],
        ...[times(ratio), times(cpuRatio)],
      ]),
    ),
    ...table(
      [
        'memories',
        'call',
        'system',
        'p50',
        'p95',
        'p95 / p50',
        'a second',
        'processor',
        'written',
        'calls of a client',
      ],
      calls.map(({ rows, what, system, p50Ms, p95Ms, perSecond, cpuMs, writtenKb, turns }) => [
        ...[count(rows), what, system, ms(p50Ms), ms(p95Ms), times(p95Ms / p50Ms), count(perSecond)],
        ...[ms(cpuMs), `${writtenKb.toFixed(1)} KB`, turns.join(' to ')],
      ]),
    ),
    ...table(
      [
        'memories',
        'build',
        'import',
        'export',
        'disk per 10,000',
        'RSS started',
        'after 5,000 recalls',
        'after quiet',
      ],
      footprints.map(figure => [
        ...[
          count(figure.rows),
          figure.build,
          `${count(figure.imported)} rows/s`,
          `${count(figure.exported)} rows/s`,
        ],
        ...[
          `${figure.megabytesPer10k.toFixed(1)} MB`,
          mb(figure.startedMb),
          mb(figure.recalledMb),
          mb(figure.quietMb),
        ],
      ]),
    ),
    environmentNote,
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '--:')), ...rows.map(line), '']
}
