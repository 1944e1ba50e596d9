import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import type { SettingsText } from '../../../contract/operations/settings-file.js'
import type { SettingsProblem } from '../../../lib/workspace/settings-file.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { maskedSettings } from './masked-text.js'
import { maskedValue } from './secret-values.js'

export function readSettings({
  paths,
  configuration,
  settingsFile,
}: Pick<Daemon, 'paths' | 'configuration' | 'settingsFile'>): SettingsText {
  const text = settingsFile.read()
  const { settings, problems } = configuration()
  return {
    file: paths.settings,
    exists: text !== undefined,
    text: maskedSettings(text ?? ''),
    version: versionOf(text),
    problems: problems.map(placeOf),
    inForce: stringify(maskedValue(settings)),
  }
}

/** Hash of the file's text; `none` without a file. */
export function versionOf(text: string | undefined): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex')
}

export function placeOf({ line, key, message }: SettingsProblem): Omit<SettingsProblem, 'file'> {
  return { line, key, message }
}
