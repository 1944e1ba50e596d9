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

/** A settings file, read and checked. */
export type Loaded = LoadedSettings<Settings>

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
  accept(): Promise<void>
  /** Writes those in force to the file. @throws AppError `conflict` while the file is faulty. */
  refuse(): Promise<void>
}

/** The settings that several daemons share, as one of them has them (`team-settings.ts`). */
export interface SharedSettings {
  /** Settings of the file with those of the team; values that this release refuses are left out. */
  over(loaded: Loaded): Loaded
  problems(): SettingsProblem[]
  /** A text of agent.yaml with the values of the team, where it could not be written. */
  shown(text: string): string
  /**
   * Changes agent.yaml, and for all daemons those values that are the team's.
   * @param make gets the text now
   * @throws AppError `conflict` when a value was changed elsewhere meanwhile, or for a faulty text
   */
  edit(make: (text: string) => string): Promise<void>
  /** Takes edits of the file by hand, and the row. @throws AppError `storage_unavailable` */
  exchange(): Promise<void>
  /** The same later, as long as the database cannot be reached. */
  settle(): Promise<void>
  /** Takes a row that another daemon changed. @param change its number */
  follow(change: number): Promise<void>
  close(): Promise<void>
}

export interface SettingsState {
  /** The settings in force. */
  good: Loaded
  /** Values of the last sound agent.yaml. */
  fromFile: unknown
  problems: SettingsProblem[]
  /** Present once the daemon shares settings with others. */
  team?: SharedSettings
}

export interface SettingsDeps {
  file: string
  record: SettingsRecord
  state: SettingsState
  load(): Loaded
  reread(how?: { isAccepted?: boolean }): void
}

export function waitingSettings({ file, record, state, load, reread }: SettingsDeps): WaitingSettings {
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
        await state.team?.settle()
        releaseIfEqual()
      }
    },
    accept: async () => {
      soundOrThrow(load())
      record.hold(undefined)
      reread({ isAccepted: true })
      await state.team?.exchange()
    },
    refuse: async () => {
      const held = record.held()
      if (!held) return
      const { given } = soundOrThrow(load())
      changeFile(() => setSettings(file, changedGuarded(given, held), schema))
      reread()
      await state.team?.exchange()
      releaseIfEqual()
    },
  }
}

/** @throws AppError `conflict` for a faulty file */
export function soundOrThrow(loaded: Loaded): Loaded {
  if (loaded.errors.length > 0) throw unchanged(new SettingsError(loaded.errors))
  return loaded
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
export function changeFile<T>(change: () => T): T {
  try {
    return change()
  } catch (error) {
    throw error instanceof SettingsError ? unchanged(error) : error
  }
}

function unchanged(error: SettingsError): AppError {
  return new AppError('conflict', `agent.yaml was not changed; correct it first: ${error.message}`)
}
