import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseDocument } from 'yaml'
import type { Skill, SkillList, SkillRecord } from '../../../contract/agents/skills.js'
import { AppError } from '../../../contract/ground/errors.js'
import { openForeign } from '../../../lib/files/open-foreign.js'
import { quoted } from '../../../lib/text/clip.js'
import { isRecord } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { requireSkill, type SkillFolder, skillFolders } from './skill-folder.js'

/** Fields before the text of a SKILL.md. */
interface Frontmatter {
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

type Deps = Pick<Ground, 'paths'>

/** The list reads only the first bytes of a file; they contain the frontmatter. */
const headBytes = 32 * 1024
const maxContentBytes = 1024 * 1024
const maxFiles = 500
/** Folder entries examined: a skill with node_modules has many. */
const maxEntries = 20_000
/** Files open at once. */
const atOnce = 16

/**
 * Lists installed skills as they are on disk now, including the readable part of a broken SKILL.md (skills.md
 * 2).
 */
export async function listSkills(deps: Deps): Promise<SkillList> {
  const folders = await skillFolders(deps)
  const found = folders.filter(folder => folder.kind === 'skill')
  const skills: Skill[] = []
  for (let from = 0; from < found.length; from += atOnce)
    skills.push(...(await Promise.all(found.slice(from, from + atOnce).map(readSkill))))
  const skipped = folders.flatMap(folder =>
    folder.kind === 'skill' ? [] : [{ name: folder.name, reason: folder.reason }],
  )
  return { skills, count: skills.length, skipped }
}

/**
 * Returns one skill with its SKILL.md. @throws AppError as `requireSkill`; `payload_too_large` above 1 MiB.
 */
export async function getSkill(deps: Deps, name: string): Promise<SkillRecord> {
  const folder = await requireSkill(deps, name)
  const { text, bytes } = await readStart(folder.file, maxContentBytes)
  if (bytes > maxContentBytes)
    throw new AppError(
      'payload_too_large',
      `the SKILL.md of ${quoted(name)} has ${bytes} bytes; at most ${maxContentBytes} are shown`,
    )
  const files = await filesOf(folder.folder)
  return {
    ...skillOf(folder, text),
    content: text,
    files: files.slice(0, maxFiles),
    fileCount: files.length,
  }
}

async function readSkill(folder: SkillFolder): Promise<Skill> {
  try {
    return skillOf(folder, (await readStart(folder.file, headBytes)).text)
  } catch (error) {
    const { problems, ...none } = skillOf(folder, '')
    return { ...none, problems: [`its SKILL.md cannot be read: ${(error as NodeJS.ErrnoException).code}`] }
  }
}

function skillOf({ name, folder }: SkillFolder, text: string): Skill {
  const { name: said, problems, ...fields } = readFrontmatter(text)
  const isOther = said !== undefined && said !== name
  return {
    name,
    ...fields,
    path: folder,
    problems: [
      ...problems,
      ...(isOther ? [`its name is ${quoted(said)}, but its folder is ${quoted(name)}`] : []),
    ],
  }
}

/** Invalid UTF-8 becomes the replacement character, so a file in another encoding is still listed. */
async function readStart(path: string, maxBytes: number): Promise<{ text: string; bytes: number }> {
  const file = await openForeign(path, { followLinks: true })
  try {
    const { size } = await file.stat()
    const wanted = Math.min(size, maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, 0)
    return { text: buffer.toString('utf8', 0, bytesRead).replaceAll('\0', ''), bytes: size }
  } finally {
    await file.close()
  }
}

/** Lists paths below a folder, with `/` as separator; links are listed but not followed. */
async function filesOf(folder: string): Promise<string[]> {
  const files: string[] = []
  const open = [folder]
  for (let seen = 0, next = open.shift(); next !== undefined && seen < maxEntries; next = open.shift()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      seen++
      const path = join(next, entry.name)
      if (entry.isDirectory()) open.push(path)
      else files.push(relative(folder, path).replaceAll('\\', '/'))
    }
  }
  return files.sort()
}
