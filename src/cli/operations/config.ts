import type { z } from 'zod'
import { settings } from '../../contract/settings.js'
import { similarNames } from '../../lib/text/similar-names.js'
import {
  formatProblem,
  getSetting,
  loadSettings,
  type SettingsError,
  type SettingsProblem,
  setSetting,
  setSettings,
} from '../../lib/workspace/settings-file.js'
import { CliError } from '../shell/cli-error.js'

interface SchemaShape {
  shape?: Record<string, z.ZodType>
  unwrap?: () => z.ZodType
}

/** Returns all effective values of agent.yaml. @throws CliError `invalid_settings` if the file is faulty. */
export function readAllSettings(file: string): unknown {
  const { settings: values, errors } = loadSettings(file, settings)
  if (errors.length > 0) throw invalidSettings(errors)
  return values
}

/**
 * Returns one value or section, including defaults; undefined for an unset key without a default.
 * @throws CliError `unknown_setting`, `invalid_settings`.
 */
export function readSetting(file: string, key: string): unknown {
  requireKey(key)
  return translate(() => getSetting(file, key, settings))
}

/** Sets one value; an empty text removes it. @throws CliError `unknown_setting`, `invalid_settings`. */
export function writeSetting(file: string, key: string, text: string): void {
  requireKey(key)
  translate(() => setSetting(file, key, text, settings))
}

/**
 * Sets several values at once, all or none; null removes one. @throws CliError `unknown_setting`,
 * `invalid_settings`.
 */
export function writeSettings(file: string, values: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(values)) requireKey(key)
  translate(() => setSettings(file, values, settings))
}

function requireKey(key: string): void {
  const keys = settingKeys(settings)
  if (keys.some(known => known === key || known.startsWith(`${key}.`))) return
  const sections = keys.flatMap(known =>
    known.split('.').map((_, at, words) => words.slice(0, at + 1).join('.')),
  )
  const guesses = similarNames(key, [...new Set(sections)])
  throw new CliError(`unknown setting '${key}'`, {
    code: 'unknown_setting',
    exit: 'notFound',
    nextSteps: [...guesses.map(guess => `did you mean: ${guess}`), 'memory config get   lists all settings'],
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

/** Lists every dotted key with a value in a settings schema, in order: `daemon.port` and so on. */
export function settingKeys(schema: z.ZodType, prefix: readonly string[] = []): string[] {
  const shape = shapeOf(schema)
  if (!shape) return [prefix.join('.')]
  return Object.entries(shape).flatMap(([key, inner]) => settingKeys(inner, [...prefix, key]))
}

/** Returns the fields of an object schema, with its defaults and optional wrappers unwrapped. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const { shape, unwrap } = schema as SchemaShape
  if (shape) return shape
  return unwrap ? shapeOf(unwrap.call(schema)) : undefined
}
