import type { Reply } from '../../../contract/api.js'
import { type Colors, formatFields } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

type Info = Reply<'GET /api/update/check'>

/** Lines of a release's notes that are shown. */
const noteLines = 12

/** What is known of a newer release, for people. */
export function updateText(info: Info, colors: Colors): string {
  const { currentVersion, latestVersion, updateAvailable, pendingVersion, error } = info
  const notes = updateAvailable
    ? (info.releaseNotes ?? '').split('\n').filter(Boolean).slice(0, noteLines)
    : []
  return [
    formatFields(
      [
        ['this version', currentVersion],
        ['newest', latestVersion === null ? 'not known' : plainLine(latestVersion)],
        ['channel', info.channel],
        ...(info.publishedAt && updateAvailable ? [['published', plainLine(info.publishedAt)] as const] : []),
        ...(info.releaseUrl && updateAvailable ? [['more', plainLine(info.releaseUrl)] as const] : []),
        ['checked', `${info.checkedAt}${info.cached ? ' (kept)' : ''}`],
        ...(error ? [['error', colors.red(plainLine(error))] as const] : []),
      ],
      colors,
    ),
    ...notes.map(line => `  ${plainLine(line)}`),
    ...(pendingVersion
      ? [`${pendingVersion} is installed and waits for a restart: memory daemon restart`]
      : []),
    ...(updateAvailable && !pendingVersion ? ['memory update installs it.'] : []),
    ...(latestVersion !== null && !updateAvailable ? ['No update is needed.'] : []),
  ].join('\n')
}
