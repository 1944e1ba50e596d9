import { createHash } from 'node:crypto'
import type { Reply } from '../../../contract/api.js'
import { shortNameOf } from '../../../lib/text/names.js'
import { shortId } from '../../../lib/text/uuid.js'
import { loadYaml, readYaml } from '../../sessions/connect/entries/yaml-edit.js'

export type MirroredMemory = Reply<'GET /api/memory/:id'>

/** The fields of a memory that its file has, and that an editor may change. */
export interface MirrorFields {
  text: string
  type: string
  project: string | null
  tags: readonly string[]
  pinned: boolean
}

/** A file with the id of a memory. */
export interface ParsedFile extends MirrorFields {
  id: string
}

/** Returns the editable fields of a memory. */
export function fieldsOf(memory: MirroredMemory): MirrorFields {
  return {
    text: (memory.verbatim ?? memory.content).trim(),
    type: memory.type,
    project: memory.project,
    tags: memory.tags.split(',').filter(Boolean),
    pinned: memory.pinned === 1,
  }
}

/** Writes a memory as Markdown with front matter. */
export function renderFile(id: string, fields: MirrorFields, createdAt: string): string {
  return [
    '---',
    `id: ${id}`,
    `type: ${fields.type}`,
    ...(fields.project === null ? [] : [`project: ${JSON.stringify(fields.project)}`]),
    `tags: [${fields.tags.map(tag => JSON.stringify(tag)).join(', ')}]`,
    ...(fields.pinned ? ['pinned: true'] : []),
    `created: ${createdAt}`,
    '---',
    '',
    fields.text,
    '',
  ].join('\n')
}

/** Reads a file back; undefined without a complete head or a text, since it may be half written. */
export async function parseFile(text: string): Promise<ParsedFile | undefined> {
  const plain = text.replace(/^\uFEFF/u, '').replaceAll('\r\n', '\n')
  if (!plain.startsWith('---\n')) return undefined
  const end = plain.indexOf('\n---\n', 3)
  if (end < 0) return undefined
  await loadYaml()
  let fields: Record<string, unknown>
  try {
    fields = readYaml(plain.slice(4, end + 1))
  } catch {
    return undefined
  }
  const body = plain.slice(end + 5).trim()
  if (typeof fields.id !== 'string' || body === '') return undefined
  const { project, type, tags, pinned } = fields
  return {
    id: fields.id,
    text: body,
    type: typeof type === 'string' ? type : 'fact',
    project: typeof project === 'string' && project !== '' ? project : null,
    tags: (Array.isArray(tags) ? tags : typeof tags === 'string' ? tags.split(',') : [])
      .map(tag => String(tag).trim().replace(/^#/u, ''))
      .filter(Boolean),
    pinned: pinned === true,
  }
}

export function isSame(a: MirrorFields, b: MirrorFields): boolean {
  return (
    a.text === b.text &&
    a.type === b.type &&
    a.project === b.project &&
    a.pinned === b.pinned &&
    [...a.tags].sort().join(',') === [...b.tags].sort().join(',')
  )
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const longestSlug = 50

/** The place of a new file in the mirror: project, type, and the beginning of the text. */
export function placeFor(id: string, { text, type, project }: MirrorFields): string {
  const slug = slugOf(text.split('\n', 1)[0] ?? '')
    .slice(0, longestSlug)
    .replace(/(?<!-)-+$/u, '')
  const folder = project === null ? 'no project' : slugOf(shortNameOf(project)) || 'project'
  return [folder, type, `${slug === '' ? '' : `${slug}-`}${shortId(id)}.md`].join('/')
}

/** Letters and digits of any script; everything else, which file systems may refuse, is a hyphen. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/gu, '')
}
