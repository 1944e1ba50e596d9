import { readFileSync } from 'node:fs'
import { Document, isMap, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { replaceFile } from '../files/replace-file.js'
import { faultWords } from '../text/fault-words.js'
import { isRecord, valueAt } from '../text/json-of.js'

/** A fault in a settings file; `line` counts from 1 and is 0 if unknown. */
export interface SettingsProblem {
  file: string
  line: number
  key: string
  message: string
}

export interface LoadedSettings<T> {
  settings: T
  /** Reasons why the file is not in effect; `settings` contains the defaults then. */
  errors: SettingsProblem[]
  /** Unknown keys; they are preserved. */
  unknown: SettingsProblem[]
  /** The file's values before defaults; null if it is empty or faulty, undefined if it does not exist. */
  given?: unknown
}

export class SettingsError extends Error {
  override name = 'SettingsError'
  constructor(readonly problems: SettingsProblem[]) {
    super(problems.map(formatProblem).join('\n'))
  }
}

export function formatProblem({ file, line, key, message }: SettingsProblem): string {
  return `${file}${line ? `:${line}` : ''}: ${key ? `${key}: ` : ''}${message}`
}

/** The parts of a schema, for files with few sections: only the schemas of those sections are created. */
export interface BySection<S extends z.ZodType> {
  sections: Readonly<Record<string, z.ZodType>>
  defaults(): z.infer<S>
}

/**
 * Reads and validates a YAML settings file. A missing file yields the defaults; so does a faulty or
 * unreadable one, with `errors`.
 */
export function loadSettings<S extends z.ZodType>(
  file: string,
  schema: S,
  by?: BySection<S>,
): LoadedSettings<z.infer<S>> {
  return orFaults(schema, () => {
    const text = readSettingsText(file)
    const loaded = checkSettings(file, text ?? '', schema, by)
    return text === undefined ? { ...loaded, given: undefined } : loaded
  })
}

/** Validates the text of a settings file before it is written. */
export function checkSettingsText<S extends z.ZodType>(
  file: string,
  text: string,
  schema: S,
): LoadedSettings<z.infer<S>> {
  return orFaults(schema, () => checkSettings(file, text, schema))
}

function orFaults<S extends z.ZodType>(
  schema: S,
  load: () => LoadedSettings<z.infer<S>>,
): LoadedSettings<z.infer<S>> {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return { settings: schema.parse({}) as z.infer<S>, errors: error.problems, unknown: [], given: null }
  }
}

/** Returns the value at a dotted key, including defaults. @throws SettingsError if the file is faulty. */
export function getSetting<S extends z.ZodType>(file: string, key: string, schema: S): unknown {
  const { settings, errors } = loadSettings(file, schema)
  if (errors.length > 0) throw new SettingsError(errors)
  return valueAt(settings, key.split('.'))
}

/**
 * Sets one dotted key atomically, and preserves comments and order.
 * @param text parsed as YAML: `true`, `3850`, `[a, b]`; an empty text removes the key.
 * @throws SettingsError for an unknown key, an invalid value or a faulty file, which is unchanged then.
 */
export function setSetting<S extends z.ZodType>(file: string, key: string, text: string, schema: S): void {
  setSettings(file, { [key]: settingValue(file, key, text) }, schema)
}

/**
 * Sets several dotted keys, all or none, like `setSetting`; null and undefined remove a key.
 * @throws SettingsError for an unknown key, an invalid value or a faulty file, which is unchanged then.
 */
export function setSettings<S extends z.ZodType>(
  file: string,
  values: Readonly<Record<string, unknown>>,
  schema: S,
): void {
  replaceFile(file, changedSettings(file, readSettingsText(file) ?? '', values, schema), 0o600)
}

/**
 * Sets dotted keys in the text of a settings file, as `setSettings` does.
 * @throws SettingsError for an unknown key, an invalid value or a faulty text
 */
export function changedSettings<S extends z.ZodType>(
  file: string,
  text: string,
  values: Readonly<Record<string, unknown>>,
  schema: S,
): string {
  const next = withSettings(file, text, values)
  const { errors, unknown } = checkSettings(file, next, schema)
  const mine = unknown.filter(problem =>
    Object.keys(values).some(key => problem.key === key || key.startsWith(`${problem.key}.`)),
  )
  if (errors.length > 0 || mine.length > 0) throw new SettingsError([...errors, ...mine])
  return next
}

/**
 * Sets dotted keys in the text of a settings file, and keeps its comments; null and undefined remove a key.
 * @throws SettingsError if the text is not YAML, or a key leads through a value.
 */
export function withSettings(file: string, text: string, values: Readonly<Record<string, unknown>>): string {
  return withValues(
    file,
    text,
    Object.entries(values).map(([key, value]) => [key.split('.'), value]),
  )
}

/** Like `withSettings`, by paths, whose keys may contain dots. */
export function withValues(
  file: string,
  text: string,
  values: readonly (readonly [path: readonly string[], value: unknown])[],
): string {
  const { document } = parseYaml(file, text)
  if (!isMap(document.contents)) document.contents = new Document({}).contents as never
  for (const [path, value] of values) {
    if (value !== null && value !== undefined) setIn(file, document, path, value)
    else if (document.hasIn(path)) document.deleteIn(path)
  }
  return document.toString({ lineWidth: 0 })
}

/** Sections that are empty or null, as `daemon:` with comments alone, become maps. */
function setIn(file: string, document: Document, path: readonly string[], value: unknown): void {
  for (let length = 1; length < path.length; length++) {
    const section = path.slice(0, length)
    const found = document.getIn(section)
    if (found === null) document.setIn(section, document.createNode({}))
    else if (found !== undefined && !isMap(found))
      throw new SettingsError([{ file, line: 0, key: section.join('.'), message: 'must be a map of keys' }])
  }
  document.setIn(path, value)
}

/** Parses a value as in a settings file: `true`, `3850`, `[a, b]`. @throws SettingsError for invalid YAML. */
export function settingValue(file: string, key: string, text: string): unknown {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error) throw new SettingsError([{ file, line: 0, key, message: `is not YAML: ${shortOf(error)}` }])
  return valuesOf(document, () => ({ file, line: 0, key }))
}

/** The values of a text before defaults, also of one that the schema refuses; undefined if it is not YAML. */
export function valuesInText(text: string): unknown {
  try {
    return parseYaml('', text).values
  } catch (error) {
    if (error instanceof SettingsError) return undefined
    throw error
  }
}

function shortOf({ message }: Error): string | undefined {
  return message.split('\n')[0]?.replace(/ at line.*$/, '')
}

/** These schemas run once or twice per process, so compiling them in zod would cost more than it saves. */
const parseOptions = { jitless: true, error: faultWords }

/** @throws SettingsError if the text is not YAML. */
function checkSettings<S extends z.ZodType>(
  file: string,
  text: string,
  schema: S,
  by?: BySection<S>,
): LoadedSettings<z.infer<S>> {
  const { document, lines, values: given } = parseYaml(file, text)
  const sound = by && bySections(given ?? {}, by)
  const defaults = () => schema.parse({}, parseOptions) as z.infer<S>
  const lineOf = (path: readonly PropertyKey[]) => lineAt(document, lines, path)
  const raw = given ?? {}
  const parsed = sound ?? schema.safeParse(raw, parseOptions)
  if (!parsed.success) {
    const errors = parsed.error.issues.map(issue => ({
      file,
      line: lineOf(issue.path),
      key: issue.path.join('.'),
      message: issue.message,
    }))
    return { settings: defaults(), errors, unknown: [], given: null }
  }
  const unknown = unknownPaths(raw, parsed.data).map(path => ({
    file,
    line: lineOf(path),
    key: path.join('.'),
    message: 'unknown setting, ignored',
  }))
  return { settings: parsed.data as z.infer<S>, errors: [], unknown, given }
}

/**
 * Validates section by section; undefined if one is invalid, because the whole schema reports faults better.
 */
function bySections<S extends z.ZodType>(
  given: unknown,
  { sections, defaults }: BySection<S>,
): { success: true; data: z.infer<S> } | undefined {
  if (!isRecord(given)) return undefined
  const data = defaults() as Record<string, unknown>
  for (const [name, schema] of Object.entries(sections)) {
    if (!Object.hasOwn(given, name)) continue
    const parsed = schema.safeParse(given[name], parseOptions)
    if (!parsed.success) return undefined
    data[name] = parsed.data
  }
  return { success: true, data: data as z.infer<S> }
}

/** @throws SettingsError if the text is not YAML. */
function parseYaml(file: string, text: string): { document: Document; lines: LineCounter; values: unknown } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  if (document.errors.length > 0)
    throw new SettingsError(
      document.errors.map(error => ({
        file,
        line: error.linePos?.[0].line ?? 0,
        key: '',
        message: shortOf(error) ?? 'is not YAML',
      })),
    )
  const place = () => ({ file, line: lineOfLostAlias(document, lines), key: '' })
  return { document, lines, values: valuesOf(document, place) }
}

/**
 * @throws SettingsError at `place` for an alias without an anchor or for too many aliases, which parse as
 * YAML.
 */
function valuesOf(document: Document, place: () => Omit<SettingsProblem, 'message'>): unknown {
  try {
    return document.toJS() as unknown
  } catch (error) {
    throw new SettingsError([{ ...place(), message: (error as Error).message }])
  }
}

function lineOfLostAlias(document: Document, lines: LineCounter): number {
  let lostLine: number = 0
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document)) return undefined
      lostLine = lines.linePos(alias.range?.[0] ?? 0).line
      return visit.BREAK
    },
  })
  return lostLine
}

function lineAt(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1) as string[], true) ?? document.contents
    if (!isMap(parent)) continue
    const pair = parent.items.find(
      item => String((item.key as { value?: unknown })?.value ?? item.key) === String(path[length - 1]),
    )
    const range = (pair?.key as { range?: [number, number, number] } | undefined)?.range
    if (range) return lines.linePos(range[0]).line
  }
  return 0
}

/** Returns the paths of `raw` that the schema dropped. */
function unknownPaths(raw: unknown, known: unknown, path: string[] = []): string[][] {
  if (!isRecord(raw)) return []
  if (!isRecord(known)) return []
  return Object.keys(raw).flatMap(key =>
    key in known ? unknownPaths(raw[key], known[key], [...path, key]) : [[...path, key]],
  )
}

/** @returns undefined if the file does not exist. @throws SettingsError if it cannot be read. */
export function readSettingsText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new SettingsError([{ file, line: 0, key: '', message: `cannot be read: ${message}` }])
  }
}
