import type { z } from 'zod'
import { settings } from '../../contract/settings.js'
import {
  formatProblem,
  getSetting,
  loadSettings,
  type SettingsError,
  type SettingsProblem,
  setSetting,
} from '../../lib/workspace/settings-file.js'
import { CliError } from '../shell/cli-error.js'
import { nearest } from '../shell/nearest.js'

interface Shaped {
  shape?: Record<string, z.ZodType>
  unwrap?: () => z.ZodType
}

/** The values of agent.yaml in force. @throws CliError `invalid_settings` when the file is faulty. */
export function readAllSettings(file: string): unknown {
  const { settings: values, errors } = loadSettings(file, settings)
  if (errors.length > 0) throw invalidSettings(errors)
  return values
}

/**
 * One value, or a section, after defaults; undefined for a key without a default that is not set.
 * @throws CliError `unknown_setting`, `invalid_settings`.
 */
export function readSetting(file: string, key: string): unknown {
  requireKey(key)
  return translate(() => getSetting(file, key, settings))
}

/** Changes one value, an empty text removes it. @throws CliError `unknown_setting`, `invalid_settings`. */
export function writeSetting(file: string, key: string, text: string): void {
  requireKey(key)
  translate(() => setSetting(file, key, text, settings))
}

function requireKey(key: string): void {
  const keys = settingKeys(settings)
  if (keys.some(known => known === key || known.startsWith(`${key}.`))) return
  const guesses = nearest(key, keys)
  throw new CliError(`there is no setting '${key}'`, {
    code: 'unknown_setting',
    exit: 'notFound',
    nextSteps: [...guesses.map(guess => `did you mean: ${guess}`), 'memory config get   shows all of them'],
  })
}

function translate<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    const { name, problems } = error as SettingsError
    throw name === 'SettingsError' ? invalidSettings(problems) : error
  }
}

function invalidSettings(problems: readonly SettingsProblem[]): CliError {
  return new CliError('agent.yaml would not be valid', {
    code: 'invalid_settings',
    exit: 'usage',
    details: problems.map(problem => ({ ...problem, path: '', message: formatProblem(problem) })),
    nextSteps: ['memory config path   shows where the file is'],
  })
}

/** Every dotted key of a settings schema that holds a value, in order: `daemon.port` and so on. */
export function settingKeys(schema: z.ZodType, prefix: readonly string[] = []): string[] {
  const shape = shapeOf(schema)
  if (!shape) return [prefix.join('.')]
  return Object.entries(shape).flatMap(([key, inner]) => settingKeys(inner, [...prefix, key]))
}

/** The fields of an object schema, through its defaults and optional wrappers. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const { shape, unwrap } = schema as Shaped
  if (shape) return shape
  return unwrap ? shapeOf(unwrap.call(schema)) : undefined
}
