import { basename, dirname } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Logger } from 'pino'
import { AppError } from '../../../contract/ground/errors.js'
import { type Settings, settings as schema, settingsSections } from '../../../contract/settings.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import {
  changedSettings,
  checkSettingsText,
  formatProblem,
  type LoadedSettings,
  loadSettings,
  readSettingsText,
  SettingsError,
  type SettingsProblem,
  setSettings,
  valuesInText,
} from '../../../lib/workspace/settings-file.js'
import { defaultSettings } from './default-settings.js'
import { withPersonsChanges } from './security-settings.js'
import { openSettingsRecord } from './settings-record.js'
import type { TeamPlace } from './team-settings.js'
import {
  changeFile,
  firstInForce,
  holdStrongerMode,
  type Loaded,
  type SettingsDeps,
  type SettingsState,
  type WaitingSettings,
  waitingSettings,
  withHeld,
} from './waiting-settings.js'

export interface SettingsInForce {
  settings: Settings
  problems: readonly SettingsProblem[]
  /** The values of agent.yaml before defaults. */
  given?: unknown
}

/** agent.yaml as text, for editing; several daemons on one database share most of it. */
export interface SettingsFile {
  /** Undefined without a file. @throws AppError `conflict` when it can't be read */
  read(): string | undefined
  /** The settings a text would produce; `errors` say why it would be rejected. */
  check(text: string): LoadedSettings<Settings>
  /**
   * Replaces the file with a checked text and applies it before it resolves.
   * @throws AppError `conflict` when a value was changed at another daemon meanwhile
   */
  replace(text: string): Promise<void>
}

export interface SettingsWatch {
  current(): SettingsInForce
  file: SettingsFile
  waiting: WaitingSettings
  /**
   * Writes dotted keys to agent.yaml, all or none, keeps its comments, and applies them before it resolves.
   * Null removes a key.
   * @throws AppError `conflict` if the file is invalid or a value is not allowed; the file is left unchanged.
   */
  change(values: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Shares settings with the other daemons of a database from now on.
   * @throws AppError `storage_unavailable`
   */
  share(team: TeamPlace): Promise<void>
  /** Takes the shared settings when another daemon changed them. @param change their number */
  follow(change: number): Promise<void>
  /** Called after each change of the active settings. */
  onChange(listener: (settings: Settings, previous: Settings) => void): void
  close(): Promise<void>
}

/**
 * Reads agent.yaml now and after every change. If a later version is invalid, the last valid settings stay
 * active: a lost or empty file, or one without a mode, must not open a team's daemon. A file alone never ends
 * mode team: a weaker mode waits for a person, also across a restart.
 * @param recordFile keeps what waits
 * @throws SettingsError if the file is invalid at startup: a daemon with guessed settings could be open to
 * the network.
 */
export function watchSettings(file: string, recordFile: string, log: Logger): SettingsWatch {
  const record = openSettingsRecord(recordFile)
  const load = () => loadSettings(file, schema, { sections: settingsSections, defaults: defaultSettings })
  const loaded = load()
  const first = firstInForce(loaded, record)
  const state: SettingsState = { good: first, fromFile: loaded.given, problems: first.unknown }
  const listeners: ((settings: Settings, previous: Settings) => void)[] = []
  const reread = ({ isAccepted = false } = {}): void => {
    const next = load()
    const previous = state.good
    const errors = faultsOf(file, withHeld(next, record.held()), previous)
    state.problems = [...errors, ...next.unknown]
    for (const problem of errors) log.warn(`agent.yaml not applied: ${formatProblem(problem)}`)
    if (errors.length > 0 && !state.team) return
    if (errors.length === 0) {
      if (!isAccepted) holdStrongerMode(next, previous, record)
      state.fromFile = next.given
    }
    const sound = errors.length === 0 ? withHeld(next, record.held()) : previous
    state.good = state.team?.over(sound) ?? sound
    record.noteMode(state.good.settings.auth.mode)
    for (const listener of listeners) tell(listener, log, state.good.settings, previous.settings)
  }
  record.noteMode(first.settings.auth.mode)
  const watcher = watchFile(file, log, () => {
    reread()
    void state.team?.settle()
  })
  const deps = { file, record, state, load, reread }
  const waiting = waitingSettings(deps)
  return {
    ...settingsEdits(deps),
    current: () => ({
      settings: state.good.settings,
      problems: [
        ...state.problems,
        ...(state.team?.problems() ?? []),
        ...waiting.list().map(({ path }) => waits(file, path)),
      ],
      given: state.good.given,
    }),
    waiting,
    onChange: listener => {
      listeners.push(listener)
    },
    share: team => share(deps, log, team),
    follow: async change => state.team?.follow(change),
    close: async () => {
      await watcher.close()
      await state.team?.close()
    },
  }
}

async function share(deps: SettingsDeps, log: Logger, team: TeamPlace): Promise<void> {
  const { TeamSettings } = await import('./team-settings.js')
  const inForce = () => deps.state.good
  const shared = new TeamSettings({ ...deps, log, sound: soundText(deps), inForce }, team)
  deps.state.team = shared
  await shared.start()
}

/** Checks a text of agent.yaml with the security settings that stay in force; undefined for a faulty one. */
function soundText({ file, record, state }: SettingsDeps): (text: string) => Loaded | undefined {
  return text => {
    const next = withHeld(checkSettingsText(file, text, schema), record.held())
    return faultsOf(file, next, state.good).length > 0 ? undefined : next
  }
}

/** Edits of agent.yaml by a person. They take effect at once, also for settings that wait. */
function settingsEdits({
  file,
  record,
  state,
  load,
  reread,
}: SettingsDeps): Pick<SettingsWatch, 'change' | 'file'> {
  const heldAfter = (before: unknown, after: unknown) => {
    const held = record.held()
    return held && withPersonsChanges(held, before, after)
  }
  const read = (): string | undefined => {
    const text = textOf(file)
    return text === undefined ? undefined : (state.team?.shown(text) ?? text)
  }
  return {
    change: async values => {
      const changed = (text: string) => changeFile(() => changedSettings(file, text, values, schema))
      if (state.team) return state.team.edit(changed)
      const before = load().given
      changeFile(() => setSettings(file, values, schema))
      record.hold(heldAfter(before, load().given))
      reread()
    },
    file: {
      read,
      check: text => {
        const next = checkSettingsText(file, text, schema)
        const checked = withHeld(next, heldAfter(valuesInText(read() ?? ''), next.given))
        return { ...checked, errors: faultsOf(file, checked, state.good) }
      },
      replace: async text => {
        if (state.team) return state.team.edit(onlyAfter(read(), text))
        record.hold(heldAfter(load().given, checkSettingsText(file, text, schema).given))
        replaceFile(file, text, 0o600)
        reread()
      },
    },
  }
}

/** Returns a text as the successor of one other. */
function onlyAfter(before: string | undefined, text: string): (now: string) => string {
  return now => {
    if (now === before) return text
    throw new AppError('conflict', 'agent.yaml has changed since; read it again and repeat your change')
  }
}

function waits(file: string, path: readonly string[]): SettingsProblem {
  return { file, line: 0, key: path.join('.'), message: 'waits for your yes: memory git settings' }
}

/** Calls back after each change of the file, and once at the start: an earlier change raises no event. */
function watchFile(file: string, log: Logger, changed: () => void): FSWatcher {
  // Watches the folder: a watch on the file can miss that it was deleted and created again.
  const folder = dirname(file)
  const watcher = watch(folder, {
    depth: 0,
    ignored: path => path !== folder && basename(path) !== basename(file),
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 20 },
  })
  watcher.on('all', () => changed())
  watcher.on('ready', () => changed())
  watcher.on('error', error => log.warn({ err: error }, 'agent.yaml is not watched'))
  return watcher
}

/** @throws AppError `conflict` when it can't be read */
function textOf(file: string): string | undefined {
  try {
    return readSettingsText(file)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    throw new AppError('conflict', error.message)
  }
}

/** Returns why the new file is rejected. */
function faultsOf(
  file: string,
  next: LoadedSettings<Settings>,
  previous: LoadedSettings<Settings>,
): SettingsProblem[] {
  return next.errors.length > 0 ? next.errors : lossOf(file, next, previous)
}

/** Settings a valid file lost since the last valid one; lost files count as unreadable. */
function lossOf(
  file: string,
  next: LoadedSettings<Settings>,
  previous: LoadedSettings<Settings>,
): SettingsProblem[] {
  const fault = (key: string, message: string): SettingsProblem[] => [{ file, line: 0, key, message }]
  const isGiven = ({ given }: LoadedSettings<Settings>): boolean => given !== undefined && given !== null
  if (isGiven(previous) && !isGiven(next)) {
    const what = next.given === undefined ? 'is missing' : 'is empty'
    return fault('', `${what}; the last valid settings stay active until a restart, which uses the defaults`)
  }
  const { mode } = previous.settings.auth
  if (mode === 'local' || namesMode(next.given)) return []
  return fault('auth.mode', `is no longer set, ${mode} stays active; set auth.mode: local to open the daemon`)
}

function namesMode(given: unknown): boolean {
  return (given as { auth?: { mode?: unknown } } | null | undefined)?.auth?.mode !== undefined
}

/** A listener that fails must not end the daemon or stop the other listeners. */
function tell(
  listener: (settings: Settings, previous: Settings) => void,
  log: Logger,
  settings: Settings,
  previous: Settings,
): void {
  try {
    listener(settings, previous)
  } catch (error) {
    log.error({ err: error }, 'a change of agent.yaml was only partly applied')
  }
}
