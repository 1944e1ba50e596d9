import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import type {
  SettingsCheck,
  SettingsText,
  writeSettings as writeSettingsEndpoint,
} from '../../../contract/operations/settings-file.js'
import * as contract from '../../../contract/operations/settings-file.js'
import type { Settings } from '../../../contract/settings.js'
import {
  SettingsError,
  type SettingsProblem,
  settingValue,
  withSettings,
} from '../../../lib/workspace/settings-file.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { countsAsHere, isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { maskedChange, maskedSettings, maskedValue, unmaskedSettings } from './masked-text.js'
import { settingFields } from './setting-fields.js'

/** Settings that only take effect at a daemon start. */
const restartKeys = ['daemon.host', 'daemon.port']

/** Settings that decide which program memory update installs, or where a secret's value is sent. */
const keysForHere: readonly string[] = [
  'update.manifestUrl',
  'update.manifestKey',
  'update.trustRegistry',
  'embedding.apiKey',
  'inference.apiKey',
  'sources.chatguild.apiBaseUrl',
  'sources.coderepo.apiBaseUrl',
  'documents.allowPrivateHosts',
]
/** The server that receives a key; without a key, administrators elsewhere may choose it. */
const serverKey = /^(embedding|inference)\.(?:baseUrl|provider)$/u

const authElsewhere =
  'auth can only be changed on the machine of the daemon: edit agent.yaml there, or run memory config set auth.KEY VALUE; everything else can be changed here'

export const routes = [
  route(contract.readSettings, async daemon => readSettings(daemon)),
  route(contract.writeSettings, async (daemon, { caller, body }) => writeSettings(daemon, caller, body)),
]

/**
 * Checks a new text of agent.yaml and, unless it is a dry run, saves it. It is active when this returns.
 * @throws AppError `conflict` when the file has changed since it was read, `validation_failed` when the text
 * is faulty, `forbidden` when it changes what the caller may not; the file is then unchanged
 */
async function writeSettings(
  daemon: Pick<Daemon, 'settingsFile' | 'configuration' | 'log' | 'environment' | 'address'>,
  caller: Pick<Caller, 'actor' | 'peer' | 'forwarded'>,
  { text: sent, version, dryRun, values }: z.infer<(typeof writeSettingsEndpoint)['body']>,
): Promise<SettingsCheck> {
  const { settingsFile, configuration, log } = daemon
  const before = settingsFile.read()
  if (version !== versionOf(before))
    throw new AppError(
      'conflict',
      'agent.yaml has changed since it was read; read it again and repeat your change',
    )
  const { text, problems } = changedText(sent, before ?? '', values)
  const { settings, errors: faults, unknown, given } = settingsFile.check(text)
  const errors = [...problems, ...faults.map(placeOf)]
  if (errors.length > 0 && !dryRun) throw faulty(errors)
  const inForce = configuration().settings
  const changes = errors.length > 0 ? [] : changedSettings(inForce, settings)
  if (errors.length === 0 && !mayChangeAuth(inForce.auth.mode, caller)) {
    const { given: old } = settingsFile.check(before ?? '')
    const isChange = isAuthChanged({ given: old, settings: inForce }, { given, settings })
    if (isChange && !dryRun) throw new AppError('forbidden', authElsewhere)
    if (isChange) errors.push({ line: 0, key: 'auth', message: authElsewhere })
  }
  if (errors.length === 0 && !countsAsHere({ configuration }, caller)) {
    const refused = changesForHere(changes, [inForce, settings])
    if (refused.length > 0 && !dryRun) throw new AppError('forbidden', onlyHere(refused))
    errors.push(...refused.map(key => ({ line: 0, key, message: onlyHere([key]) })))
  }
  if (!dryRun) {
    await settingsFile.replace(text)
    log.info({ actor: caller.actor, keys: changes.map(({ key }) => key) }, 'agent.yaml changed')
  }
  return {
    saved: !dryRun,
    version: dryRun ? version : versionOf(text),
    text: maskedSettings(text),
    fields: settingFields(daemon, text, faults.length > 0 ? inForce : settings),
    errors,
    unknown: unknown.map(placeOf),
    changes: errors.length > 0 ? [] : changes.map(maskedChange),
    restartRequired: changes.some(({ key }) => restartKeys.includes(key)),
  }
}

/** The text to check: masks replaced by what they hide, then the values set. */
function changedText(
  sent: string,
  before: string,
  values: Readonly<Record<string, string>> = {},
): ReturnType<typeof unmaskedSettings> {
  const { text, problems } = unmaskedSettings(sent, before)
  try {
    const parsed = Object.entries(values).map(([key, value]) => [key, settingValue('agent.yaml', key, value)])
    const isChange = parsed.length > 0 && problems.length === 0
    return {
      text: isChange ? withSettings('agent.yaml', text, Object.fromEntries(parsed)) : text,
      problems,
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return { text, problems: [...problems, ...error.problems.map(placeOf)] }
  }
}

function faulty(errors: SettingsCheck['errors']): AppError {
  return new AppError(
    'validation_failed',
    'agent.yaml was not saved: fix the listed errors first',
    errors.map(({ line, key, message }) => ({
      path: key,
      message: line > 0 ? `line ${line}: ${message}` : message,
    })),
  )
}

/** Lists the changes that callers elsewhere may not make (permissions.md#administrators-elsewhere). */
function changesForHere(changes: SettingsCheck['changes'], versions: readonly Settings[]): string[] {
  const sendsKey = (section: unknown) =>
    versions.some(settings => settings[section as 'embedding' | 'inference'].apiKey !== undefined)
  return changes
    .map(({ key }) => key)
    .filter(key => keysForHere.includes(key) || (serverKey.test(key) && sendsKey(serverKey.exec(key)?.[1])))
}

function onlyHere(keys: readonly string[]): string {
  return `${keys.join(', ')} can only be changed on the machine of the daemon, since it decides where secrets are sent, what is read or which program is installed; to allow it to administrators elsewhere, set there: memory config set auth.remoteAdminMayRun true`
}

/**
 * A stolen admin credential, or access to the network, must not suffice to open the daemon to everyone
 * (security.md).
 */
export function mayChangeAuth(
  mode: Settings['auth']['mode'],
  caller: Pick<Caller, 'peer' | 'forwarded'>,
): boolean {
  return mode === 'local' && caller.peer !== undefined && isOnThisMachine(caller)
}

interface Loaded {
  /** The file's own values. */
  given?: unknown
  settings: Settings
}

/** Compares `auth` including keys that no setting uses. */
function isAuthChanged(before: Loaded, after: Loaded): boolean {
  return !(
    isDeepStrictEqual(before.settings.auth, after.settings.auth) &&
    isDeepStrictEqual(authOf(before.given), authOf(after.given))
  )
}

function authOf(given: unknown): unknown {
  return (given as { auth?: unknown } | null | undefined)?.auth
}

/** Lists the settings that differ, by dotted key; values as JSON, a list as one value. */
function changedSettings(before: object, after: object): SettingsCheck['changes'] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort()
  return keys
    .map(key => ({ key, before: old.get(key) ?? null, after: now.get(key) ?? null }))
    .filter(change => change.before !== change.after)
}

function valuesOf(value: unknown, path = ''): Map<string, string> {
  if (value === undefined) return new Map()
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]])
  return new Map(
    Object.entries(value).flatMap(([key, one]) => [...valuesOf(one, path === '' ? key : `${path}.${key}`)]),
  )
}

/** agent.yaml as text and as fields, with credentials masked. */
function readSettings(
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
function versionOf(text: string | undefined): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex')
}

function placeOf({ line, key, message }: SettingsProblem): Omit<SettingsProblem, 'file'> {
  return { line, key, message }
}
