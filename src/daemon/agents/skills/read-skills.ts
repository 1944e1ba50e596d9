import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Skill, SkillList, SkillRecord } from '../../../contract/agents/skills.js'
import { AppError } from '../../../contract/ground/errors.js'
import { openForeign } from '../../../lib/files/open-foreign.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import { readFrontmatter } from './frontmatter.js'
import { requireSkill, type SkillFolder, skillFolders } from './skill-folder.js'

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
