import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import type {
  SettingsCheck,
  writeSettings as writeSettingsEndpoint,
} from '../../../contract/operations/settings-file.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { changedSettings } from './changed-settings.js'
import { placeOf, versionOf } from './read-settings.js'

/** What only a start of the daemon takes up. */
const takenAtStart = ['daemon.host', 'daemon.port']

/**
 * Checks a new text of agent.yaml; unless that was all, writes it. In force when it returns.
 * @throws AppError `conflict` when the file has changed since it was read, `validation_failed` when the text is faulty;
 * the file stays as it was
 */
export function writeSettings(
  { settingsFile, configuration, log }: Pick<Daemon, 'settingsFile' | 'configuration' | 'log'>,
  { actor }: Pick<Caller, 'actor'>,
  { text, version, dryRun }: z.infer<(typeof writeSettingsEndpoint)['body']>,
): SettingsCheck {
  if (version !== versionOf(settingsFile.read()))
    throw new AppError(
      'conflict',
      'agent.yaml has changed since it was read; read it again, then change that',
    )
  const { settings, errors, unknown } = settingsFile.check(text)
  if (errors.length > 0 && !dryRun)
    throw new AppError(
      'validation_failed',
      'agent.yaml was not saved: correct what is named here first',
      errors.map(({ line, key, message }) => ({
        path: key,
        message: line > 0 ? `line ${line}: ${message}` : message,
      })),
    )
  const changes = errors.length > 0 ? [] : changedSettings(configuration().settings, settings)
  if (!dryRun) {
    settingsFile.replace(text)
    log.info({ actor, keys: changes.map(({ key }) => key) }, 'agent.yaml was changed')
  }
  return {
    saved: !dryRun,
    version: dryRun ? version : versionOf(text),
    errors: errors.map(placeOf),
    unknown: unknown.map(placeOf),
    changes,
    restartRequired: changes.some(({ key }) => takenAtStart.includes(key)),
  }
}
