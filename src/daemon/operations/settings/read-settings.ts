import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import type { SettingsText } from '../../../contract/operations/settings-file.js'
import type { SettingsProblem } from '../../../lib/workspace/settings-file.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { maskedSettings, maskedValue } from './masked-text.js'
import { settingFields } from './setting-fields.js'

/** agent.yaml as text and as fields, with credentials masked. */
export function readSettings(
  daemon: Pick<Daemon, 'paths' | 'configuration' | 'settingsFile' | 'environment' | 'address'>,
): SettingsText {
  const { paths, configuration, settingsFile } = daemon
  const text = settingsFile.read()
  const { settings, problems } = configuration()
  return {
    file: paths.settings,
    exists: text !== undefined,
    text: maskedSettings(text ?? ''),
    version: versionOf(text),
    problems: problems.map(placeOf),
    inForce: stringify(maskedValue(settings)),
    fields: settingFields(daemon, text ?? '', settings),
  }
}

/** Hash of the file's text; `none` without a file. */
export function versionOf(text: string | undefined): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex')
}

export function placeOf({ line, key, message }: SettingsProblem): Omit<SettingsProblem, 'file'> {
  return { line, key, message }
}
