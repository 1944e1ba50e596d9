import { AppError } from '../../../contract/ground/errors.js'
import { type Settings, settings as schema } from '../../../contract/settings.js'
import { isRecord } from '../../../lib/text/json-of.js'
import {
  checkSettingsText,
  type LoadedSettings,
  SettingsError,
  type SettingsProblem,
  setSettings,
} from '../../../lib/workspace/settings-file.js'
import {
  changedGuarded,
  type GivenValues,
  type SettingDifference,
  securityDifferences,
  securityPart,
  withSecurityPart,
} from './security-settings.js'
import { isWeaker, type SettingsRecord } from './settings-record.js'

type Loaded = LoadedSettings<Settings>

/** Security settings of agent.yaml that a person has not accepted (operations.md 1.7). */
export interface WaitingSettings {
  /** Values in force, and those of the file. */
  list(): SettingDifference[]
  /**
   * Runs work that brings settings of others. The security settings in force stay, and those that the work
   * changed wait.
   */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Puts those of the file in force. @throws AppError `conflict` while the file is faulty. */
  accept(): void
  /** Writes those in force to the file. @throws AppError `conflict` while the file is faulty. */
  refuse(): void
}

export interface SettingsState {
  /** The settings in force. */
  good: Loaded
  /** Values of the last sound agent.yaml. */
  fromFile: unknown
  problems: SettingsProblem[]
}

export interface SettingsDeps {
  file: string
  record: SettingsRecord
  state: SettingsState
  load(): Loaded
  reread(how?: { isAccepted?: boolean }): void
}

export function waitingSettings({ file, record, state, load, reread }: SettingsDeps): WaitingSettings {
  const loadSound = (): Loaded => {
    const loaded = load()
    if (loaded.errors.length > 0) throw unchanged(new SettingsError(loaded.errors))
    return loaded
  }
  const releaseIfEqual = (): void => {
    const { errors, given } = load()
    const isEqual = securityDifferences(record.held(), given).length === 0
    if (errors.length === 0 && isEqual) record.hold(undefined)
  }
  return {
    list: () => (record.held() ? securityDifferences(record.held(), state.fromFile) : []),
    during: async work => {
      if (record.held() === undefined) record.hold(securityPart(state.good.given))
      try {
        return await work()
      } finally {
        reread()
        releaseIfEqual()
      }
    },
    accept: () => {
      loadSound()
      record.hold(undefined)
      reread({ isAccepted: true })
    },
    refuse: () => {
      const held = record.held()
      if (!held) return
      const { given } = loadSound()
      changeFile(() => setSettings(file, changedGuarded(given, held), schema))
      reread()
      releaseIfEqual()
    },
  }
}

/** The settings in force at the start. @throws SettingsError for a faulty file. */
export function firstInForce(loaded: Loaded, record: SettingsRecord): Loaded {
  if (loaded.errors.length > 0) throw new SettingsError(loaded.errors)
  const mode = record.mode()
  if (record.held() === undefined && isWeaker(loaded.settings.auth.mode, mode)) {
    const part = securityPart(loaded.given)
    record.hold({ ...part, auth: { ...(isRecord(part.auth) && part.auth), mode } })
  }
  const first = withHeld(loaded, record.held())
  if (first.errors.length > 0) throw new SettingsError(first.errors)
  return first
}

/** Keeps the security settings when the file names a mode that lets more callers in. */
export function holdStrongerMode(next: Loaded, previous: Loaded, record: SettingsRecord): void {
  const { mode } = withHeld(next, record.held()).settings.auth
  if (isWeaker(mode, previous.settings.auth.mode)) record.hold(securityPart(previous.given))
}

/** Puts the security settings that stay in force in place of the file's. */
export function withHeld(loaded: Loaded, held: GivenValues | undefined): Loaded {
  if (held === undefined || loaded.errors.length > 0) return loaded
  const given = withSecurityPart(loaded.given, held)
  const { settings, errors } = checkSettingsText('agent.yaml', JSON.stringify(given), schema)
  if (errors.length > 0) return { ...loaded, errors }
  const isGiven = loaded.given !== undefined && loaded.given !== null
  return { ...loaded, settings, given: isGiven ? given : loaded.given }
}

/** @throws AppError `conflict` when the file is faulty or a value is not allowed. */
export function changeFile(change: () => void): void {
  try {
    change()
  } catch (error) {
    throw error instanceof SettingsError ? unchanged(error) : error
  }
}

function unchanged(error: SettingsError): AppError {
  return new AppError('conflict', `agent.yaml was not changed; correct it first: ${error.message}`)
}
