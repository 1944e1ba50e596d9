import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { type Colors, formatFields, onTerminal } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

type Status = Reply<'GET /api/git/status'>
type Config = Reply<'GET /api/git/config'>
type OmittedFiles = Status['leftOut']

/** Maximum number of paths shown; the others are counted. */
const shown = 10

/** Formats the state of the repository for people. */
export function statusText(status: Status, colors: Colors): string {
  const waiting =
    status.waitingSettings.length > 0 ? [waitingTitle, ...waitingText(status.waitingSettings, colors)] : []
  if (!status.enabled)
    return [plainLine(status.problem ?? 'the workspace is not a git repository'), ...waiting].join('\n')
  const { lastCommit, lastRun } = status
  const fields = formatFields(
    [
      ['branch', plainLine(status.branch ?? 'none')],
      ['remote', plainLine(status.remoteUrl ?? 'none')],
      ['commits', distanceText(status)],
      [
        'last commit',
        lastCommit
          ? `${lastCommit.id.slice(0, 8)} ${plainLine(lastCommit.message)} (${lastCommit.at})`
          : 'none',
      ],
      ['not committed', countOf(status.uncommittedCount, 'file')],
      ...(lastRun
        ? [['last run', `${lastRun.action}, ${lastRun.success ? 'done' : 'failed'}, ${lastRun.at}`] as const]
        : []),
      ...(status.problem ? [['problem', colors.red(plainLine(status.problem))] as const] : []),
      ...(lastRun?.error ? [['error', colors.red(plainLine(lastRun.error))] as const] : []),
    ],
    colors,
  )
  const paths = [...pathLines(status.uncommitted, status.uncommittedCount), ...leftOutLines(status.leftOut)]
  return [fields, ...paths.flatMap(onTerminal), ...waiting].join('\n')
}

const waitingTitle = 'security settings wait for your yes: memory git settings'

/** Formats security settings that wait as a diff: those in force, then those of agent.yaml. */
export function waitingText(settings: Status['waitingSettings'], colors: Colors): string[] {
  return settings.flatMap(({ key, before, after }) => [
    colors.red(plainLine(`- ${key}: ${before ?? 'not set'}`)),
    colors.green(plainLine(`+ ${key}: ${after ?? 'not set'}`)),
  ])
}

function distanceText({ ahead, behind }: Status): string {
  if (ahead === null || behind === null) return 'unknown until the first sync: memory git sync'
  if (ahead === 0 && behind === 0) return 'up to date with the remote'
  return `${ahead} to push, ${behind} to pull`
}

/** Lists the first paths, and the number of the others. */
export function pathLines(paths: readonly string[], count = paths.length): string[] {
  const more = count - Math.min(shown, paths.length)
  return [
    ...paths.slice(0, shown).map(path => `  ${plainLine(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** Lists files that are excluded from commits although one would expect them there. */
export function leftOutLines(leftOut: OmittedFiles): string[] {
  return leftOut.slice(0, shown).map(({ path, reason }) => `  excluded: ${plainLine(path)}, ${reason}`)
}

/** Formats the settings for commits and syncs for people. */
export function configText(config: Config, colors: Colors): string {
  return formatFields(
    [
      ['repository', config.enabled ? 'yes' : 'none. Create one: memory git init'],
      ['auto-commit', config.autoCommit ? 'on' : 'off'],
      ['auto-sync', config.autoSync ? 'on' : 'off'],
      ['interval', `${config.syncInterval} s`],
      ['remote', plainLine(config.remote)],
      ['branch', plainLine(config.branch)],
    ],
    colors,
  )
}
