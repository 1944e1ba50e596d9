import { watch } from 'chokidar'
import type { Logger } from 'pino'
import { type Settings, settings as schema } from '../contract/settings.js'
import { formatProblem, loadSettings, SettingsError } from '../lib/settings-file.js'
import type { SettingsInForce } from './daemon.js'

export interface SettingsWatch {
  current(): SettingsInForce
  /** Calls back after every change that is in force. */
  onChange(listener: (settings: Settings, previous: Settings) => void): void
  close(): Promise<void>
}

/**
 * Reads agent.yaml now and again whenever it changes. A later fault leaves the last good settings in force.
 * @throws SettingsError when the file is faulty at start: a daemon that guesses could run open to the network.
 */
export function watchSettings(file: string, log: Logger): SettingsWatch {
  const first = loadSettings(file, schema)
  if (first.errors.length > 0) throw new SettingsError(first.errors)
  const state: { current: SettingsInForce } = {
    current: { settings: first.settings, problems: first.unknown },
  }
  const listeners: ((settings: Settings, previous: Settings) => void)[] = []
  const reread = (): void => {
    const { settings, errors, unknown } = loadSettings(file, schema)
    const previous = state.current.settings
    state.current = { settings: errors.length > 0 ? previous : settings, problems: [...errors, ...unknown] }
    for (const problem of errors) log.warn(`settings not in force: ${formatProblem(problem)}`)
    if (errors.length === 0) for (const listener of listeners) listener(settings, previous)
  }
  const watcher = watch(file, {
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 20 },
  })
  watcher.on('all', reread)
  watcher.on('error', error => log.warn({ err: error }, 'agent.yaml is not watched'))
  return {
    current: () => state.current,
    onChange: listener => {
      listeners.push(listener)
    },
    close: () => watcher.close(),
  }
}
