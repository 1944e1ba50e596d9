import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Document, isMap, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'

/** One fault of a settings file; `line` counts from 1, 0 when it has no place. */
export interface SettingsProblem {
  file: string
  line: number
  key: string
  message: string
}

export interface LoadedSettings<T> {
  settings: T
  /** Why the file's values are not in force; `settings` then holds the defaults. */
  errors: SettingsProblem[]
  /** Keys that nothing reads; they are kept. */
  unknown: SettingsProblem[]
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

/** Reads a YAML settings file and checks it. A missing file gives the defaults; a faulty one gives them too, with `errors`. */
export function loadSettings<S extends z.ZodType>(file: string, schema: S): LoadedSettings<z.infer<S>> {
  return checkSettings(file, readText(file), schema)
}

/** The value at a dotted key after defaults; undefined when there is none. @throws SettingsError when the file is faulty. */
export function getSetting<S extends z.ZodType>(file: string, key: string, schema: S): unknown {
  const { settings, errors } = loadSettings(file, schema)
  if (errors.length > 0) throw new SettingsError(errors)
  return valueAt(settings, key.split('.'))
}

/**
 * Sets one dotted key, keeping comments and order, by temp file and rename.
 * @param text parsed as YAML: `true`, `3850`, `[a, b]`; an empty text removes the key.
 * @throws SettingsError when the key is unknown or the value is not allowed; the file stays as it was.
 */
export function setSetting<S extends z.ZodType>(file: string, key: string, text: string, schema: S): void {
  const path = key.split('.')
  const document = parseDocument(readText(file))
  if (document.errors.length > 0) throw new SettingsError(checkSettings(file, readText(file), schema).errors)
  const value = parseDocument(text).toJS() as unknown
  if (!isMap(document.contents)) document.contents = new Document({}).contents as never
  if (value === null || value === undefined) document.deleteIn(path)
  else document.setIn(path, value)
  const next = document.toString()
  const { errors, unknown } = checkSettings(file, next, schema)
  const mine = unknown.filter(problem => problem.key === key || key.startsWith(`${problem.key}.`))
  if (errors.length > 0 || mine.length > 0) throw new SettingsError([...errors, ...mine])
  writeAtomically(file, next)
}

function checkSettings<S extends z.ZodType>(
  file: string,
  text: string,
  schema: S,
): LoadedSettings<z.infer<S>> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const defaults = schema.parse({}) as z.infer<S>
  if (document.errors.length > 0) {
    const errors = document.errors.map(error => ({
      file,
      line: error.linePos?.[0].line ?? 0,
      key: '',
      message: error.message.split('\n')[0]?.replace(/ at line.*$/, '') ?? 'is not YAML',
    }))
    return { settings: defaults, errors, unknown: [] }
  }
  const lineOf = (path: readonly PropertyKey[]) => lineAt(document, lines, path)
  const raw = (document.toJS() ?? {}) as unknown
  const parsed = schema.safeParse(raw)
  if (!parsed.success) {
    const errors = parsed.error.issues.map(issue => ({
      file,
      line: lineOf(issue.path),
      key: issue.path.join('.'),
      message: issue.message,
    }))
    return { settings: defaults, errors, unknown: [] }
  }
  const unknown = unknownPaths(raw, parsed.data).map(path => ({
    file,
    line: lineOf(path),
    key: path.join('.'),
    message: 'unknown setting, ignored',
  }))
  return { settings: parsed.data as z.infer<S>, errors: [], unknown }
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

/** Paths of `raw` that the schema dropped. */
function unknownPaths(raw: unknown, known: unknown, path: string[] = []): string[][] {
  if (!isPlainObject(raw)) return []
  if (!isPlainObject(known)) return []
  return Object.keys(raw).flatMap(key =>
    key in known ? unknownPaths(raw[key], known[key], [...path, key]) : [[...path, key]],
  )
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, key) => (isPlainObject(current) ? current[key] : undefined), value)
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function writeAtomically(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}
