import { parseDocument } from 'yaml'
import { isRecord } from '../../../lib/text/json-of.js'

/** Fields before the text of a SKILL.md. */
export interface Frontmatter {
  name: string | undefined
  description: string
  version: string | null
  author: string | null
  license: string | null
  user_invocable: boolean
  arg_hint: string | null
  /** One sentence per problem. */
  problems: string[]
}

/** Longest frontmatter read, in UTF-16 units: parsing YAML of any length would block the daemon. */
const maxFrontmatter = 8192
/** Longest description in the public standard. */
const maxDescription = 1024

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the frontmatter leniently (skills.md 2): every readable field counts, and each problem is listed.
 * Scalars keep their text: `version: 1.10` does not become a number.
 * @param text SKILL.md, or its beginning.
 */
export function readFrontmatter(text: string): Frontmatter {
  const { block, problem } = blockOf(text)
  const { fields, fault } = fieldsOf(block)
  const metadata = isRecord(fields.metadata) ? fields.metadata : {}
  const description = textOf(fields.description) ?? ''
  return {
    name: textOf(fields.name) ?? undefined,
    description,
    version: textOf(metadata.version) ?? textOf(fields.version),
    author: textOf(metadata.author) ?? textOf(fields.author),
    license: textOf(fields.license),
    user_invocable: !isNo(fields['user-invocable'] ?? fields.user_invocable),
    arg_hint: textOf(fields['argument-hint']) ?? textOf(fields.arg_hint) ?? textOf(fields['arg-hint']),
    problems: [
      ...(problem ? [problem] : []),
      ...(fault ? [fault] : []),
      ...(problem || description ? [] : ['its frontmatter has no description']),
      ...(description.length > maxDescription
        ? [`its description is longer than ${maxDescription} characters`]
        : []),
    ],
  }
}

/** Returns the lines between the first two `---`. */
function blockOf(text: string): { block: string; problem?: string } {
  const [opening] = /^\uFEFF?---[ \t]*\r?\n/u.exec(text) ?? []
  if (opening === undefined)
    return { block: '', problem: 'it has no frontmatter; begin the file with a line of three dashes' }
  const rest = text.slice(opening.length, opening.length + maxFrontmatter)
  const end = /^---[ \t]*\r?$/mu.exec(rest)
  if (end) return { block: rest.slice(0, end.index) }
  return { block: rest, problem: 'its frontmatter does not end; close it with a line of three dashes' }
}

/**
 * Parses YAML; when that fails, reads line by line, since an unquoted colon in a description is the usual
 * cause.
 */
function fieldsOf(block: string): { fields: Fields; fault?: string } {
  const document = parseDocument(block, { schema: 'failsafe', logLevel: 'silent', uniqueKeys: false })
  const [error] = document.errors
  if (!error) {
    const value = plainOf(document)
    if (isRecord(value)) return { fields: value }
    return block.trim() === '' ? { fields: {} } : { fields: linesOf(block), fault: notYaml('not a mapping') }
  }
  return { fields: linesOf(block), fault: notYaml(error.message.split('\n')[0] ?? '') }
}

/** The library refuses aliases of aliases that would expand without limit. */
function plainOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 })
  } catch {
    return undefined
  }
}

function notYaml(why: string): string {
  return `its frontmatter is not valid YAML (${why.replace(/:$/u, '')}); quote texts that contain ": "`
}

function linesOf(block: string): Fields {
  const pairs = [...block.matchAll(/^([A-Za-z][\w-]*):[ \t]+(\S.*)$/gmu)]
  return Object.fromEntries(
    pairs.map(([, key = '', value = '']) => [key, value.trimEnd().replace(/^(["'])(.*)\1$/u, '$2')]),
  )
}

/** @returns null for anything but a non-empty string. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().toWellFormed() : null
}

function isNo(value: unknown): boolean {
  return typeof value === 'string' && /^(?:false|no|off|0)$/iu.test(value.trim())
}
