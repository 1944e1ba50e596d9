import type { DaemonState } from '../../client/daemon-state.js'
import { type Colors, formatDuration, formatFields } from '../terminal/output.js'
import type { Supervision } from './supervision.js'

/** The state of a daemon for a person, several lines. @param supervision who starts it, where somebody does. */
export function daemonText(state: DaemonState, colors: Colors, supervision?: Supervision): string {
  const { running, ready, pid, version, url, uptime, workspace, problem } = state
  if (!running) {
    const word = problem ? colors.red('not available') : colors.yellow('not running')
    return [
      `${word}  ${colors.dim(workspace)}`,
      ...(problem ? [problem] : ['Commands start it when they need it.']),
      ...(supervision ? [`${supervision.name}: ${supervisionText(supervision)}`] : []),
    ].join('\n')
  }
  return formatFields(
    [
      ['daemon', ready ? colors.green('running') : colors.yellow('running, still loading')],
      ['url', url ?? ''],
      ['pid', String(pid)],
      ['version', version ?? ''],
      ['uptime', formatDuration(uptime ?? 0)],
      ['workspace', workspace],
      ...(supervision ? [[supervision.name, supervisionText(supervision)] as const] : []),
    ],
    colors,
  )
}

function supervisionText({ unit, active, current }: Supervision): string {
  const runs = active ? `runs it as ${unit}` : `${unit} does not run: memory daemon restart starts it by that`
  return current ? runs : `${runs}; written by another installation: memory daemon install`
}
