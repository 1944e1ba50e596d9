import type { DaemonState } from '../../client/daemon-state.js'
import { type Colors, formatDuration, formatFields } from '../output.js'

/** The state of a daemon for a person, several lines. */
export function daemonText(state: DaemonState, colors: Colors): string {
  const { running, ready, pid, version, url, uptime, workspace, problem } = state
  if (!running) {
    const word = problem ? colors.red('not available') : colors.yellow('not running')
    return [
      `${word}  ${colors.dim(workspace)}`,
      ...(problem ? [problem] : ['Commands start it when they need it.']),
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
    ],
    colors,
  )
}
