import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { homeIfKnown } from '../../../../lib/files/folders.js'
import { openForeign } from '../../../../lib/files/open-foreign.js'
import { withoutOwnBlock } from '../../../../lib/files/own-block.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import { headOf } from '../../../sessions/transcripts/readers/text-slices.js'
import {
  type FoundFile,
  type FoundItem,
  type FoundMemory,
  keyByText,
  type LeftOut,
  type MemoryType,
  typeOfText,
} from './found-memory.js'
import {
  frontMatterOf,
  type MarkdownFile,
  markdownFilesAt,
  namesIn,
  notesIn,
  readMarkdown,
  textOfNote,
  textsIn,
} from './markdown-notes.js'

const unreadable = (path: string): FoundFile => ({
  path,
  changedAt: new Date(0),
  found: [{ leftOut: 'unreadable file' }],
})

/** The memory types of Claude Code's own notes. */
const claudeTypes: Readonly<Record<string, MemoryType>> = {
  user: 'preference',
  feedback: 'rule',
  project: 'fact',
  reference: 'fact',
}

/** Claude Code's own memory: a folder `memory` for each project, with one topic a file. */
export async function* claudeMemory(place: string): AsyncGenerator<FoundFile> {
  const projects = new Map<string, string | undefined>()
  for await (const file of markdownFilesAt(place)) {
    const folders = relative(dirname(place), file.path).split(sep).slice(0, -1)
    // A log's folder may have other Markdown beside its memory.
    if (!folders.includes('memory') && !(await isMemoryFolder(place))) continue
    if (!('text' in file)) {
      yield unreadable(file.path)
      continue
    }
    const home = file.path.slice(0, file.path.lastIndexOf(`${sep}memory${sep}`))
    if (!projects.has(home)) projects.set(home, await folderOfLogs(home))
    const project = projects.get(home)
    const name = basename(file.path)
    const found = name === 'MEMORY.md' ? indexNotes(file, project) : [topicOf(file, project)]
    yield { path: file.path, changedAt: file.changedAt, found }
  }
}

async function isMemoryFolder(place: string): Promise<boolean> {
  return !(await stat(place)).isDirectory() || (await namesIn(place)).includes('MEMORY.md')
}

function topicOf(file: MarkdownFile, project: string | undefined): FoundMemory {
  const { fields, body } = frontMatterOf(file.text)
  const nested = fields.metadata as Readonly<Record<string, unknown>> | undefined
  const [kind = ''] = textsIn(fields.type ?? nested?.type)
  const hints = [...textsIn(fields.description), ...textsIn(fields.name)]
  return {
    key: file.path,
    content: body,
    what: kind === '' ? 'topic' : `topic of type ${kind}`,
    type: claudeTypes[kind] ?? typeOfText(body),
    project,
    hints,
  }
}

/** Older versions wrote notes into the index; its links to topics are left out. */
function* indexNotes(file: MarkdownFile, project: string | undefined): Generator<FoundItem> {
  for (const note of notesIn(frontMatterOf(file.text).body)) {
    if ('leftOut' in note) yield note
    else if (/^\[[^\]\n]{0,500}\]\([^()\n]{1,500}\.md\)/u.test(note.text))
      yield { leftOut: 'link of the index' }
    else {
      const content = textOfNote(note)
      yield {
        key: keyByText(project, content),
        content,
        what: 'note of MEMORY.md',
        type: typeOfText(content),
        project,
      }
    }
  }
}

const cwdField = /"cwd"\s*:\s*("(?:[^"\\]|\\.){1,4096}")/u

/** The folder that a project of Claude Code works in: its logs name it, else its name does. */
async function folderOfLogs(home: string): Promise<string | undefined> {
  for (const name of (await namesIn(home)).filter(one => one.endsWith('.jsonl')).slice(0, 5)) {
    const folder = jsonOf(cwdField.exec(await beginningOf(join(home, name)))?.[1] ?? '')
    if (typeof folder === 'string') return folder
  }
  return folderNamed(basename(home))
}

async function beginningOf(path: string): Promise<string> {
  try {
    const handle = await openForeign(path)
    try {
      return await headOf(handle)
    } finally {
      await handle.close()
    }
  } catch {
    return ''
  }
}

/** The name has `-` for every character but letters and digits, so the disk must say which one it was. */
async function folderNamed(slug: string): Promise<string | undefined> {
  if (!slug.startsWith('-')) return undefined
  let folders: { at: string; rest: string }[] = [{ at: '/', rest: slug.slice(1) }]
  while (folders.length > 0) {
    const next: typeof folders = []
    for (const { at, rest } of folders) {
      if (rest === '') return at
      const entries = await readdir(at, { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const written = entry.name.replace(/[^a-zA-Z0-9]/gu, '-')
        const fits = rest === written || rest.startsWith(`${written}-`)
        if (entry.isDirectory() && fits)
          next.push({ at: join(at, entry.name), rest: rest.slice(written.length + 1) })
      }
    }
    folders = next.slice(0, 100)
  }
  return undefined
}

/** Instructions that a user wrote: each item and paragraph is a rule. */
function* rulesOf(file: MarkdownFile, project: string | undefined): Generator<FoundItem> {
  const { fields, body } = frontMatterOf(file.text)
  const globs = textsIn(fields.globs ?? fields.paths)
  const isAlways = fields.alwaysApply === 'true'
  for (const note of notesIn(withoutOwnBlock(body))) {
    if ('leftOut' in note) {
      yield note
      continue
    }
    const content = textOfNote(note)
    yield {
      key: keyByText(project, content),
      content,
      what: basename(file.path).endsWith('.mdc') ? 'rule of an .mdc file' : `rule of ${basename(file.path)}`,
      type: /^\d{1,9}[.)]\s/u.test(note.text) ? 'procedural' : 'rule',
      project,
      hints: textsIn(fields.description),
      importance: isAlways ? 0.8 : 0.7,
      ...(globs.length > 0 && { structured: { globs } }),
    }
  }
}

async function* ruleFiles(
  places: readonly { path: string; project: string | undefined }[],
  endings?: readonly string[],
): AsyncGenerator<FoundFile> {
  for (const { path, project } of places) {
    if (!(await stat(path).catch(() => undefined))) continue
    for await (const file of markdownFilesAt(path, endings)) {
      if (!('text' in file)) yield unreadable(file.path)
      else yield { path: file.path, changedAt: file.changedAt, found: rulesOf(file, project) }
    }
  }
}

/** CLAUDE.md and rules of Claude Code: a file, the folder of a project, or the user's `.claude`. */
export async function* claudeMd(place: string): AsyncGenerator<FoundFile> {
  if (!(await stat(place)).isDirectory())
    return yield* ruleFiles([{ path: place, project: folderOfRules(place) }])
  const isUsers = basename(place) === '.claude' || (await namesIn(place)).includes('projects')
  const project = isUsers ? undefined : place
  const names = isUsers
    ? ['CLAUDE.md', 'rules']
    : ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/rules']
  yield* ruleFiles(names.map(name => ({ path: join(place, name), project })))
}

/** Rules of Cursor: a file, or the folder of a project. */
export async function* cursorRules(place: string): AsyncGenerator<FoundFile> {
  if (!(await stat(place)).isDirectory())
    return yield* ruleFiles([{ path: place, project: folderOfRules(place) }])
  const isRules = basename(place) === 'rules'
  const project = isRules ? folderOfRules(join(place, 'x')) : place
  const names = isRules ? ['.'] : ['.cursorrules', '.cursor/rules']
  yield* ruleFiles(
    names.map(name => ({ path: join(place, name), project })),
    ['.md', '.mdc'],
  )
}

/** The project of a file with rules; the user's own files have none. */
function folderOfRules(file: string): string | undefined {
  const above = dirname(file)
  const settings = /[/\\]\.(?:claude|cursor)(?:[/\\]|$)/u.exec(above)
  if (!settings) return above
  const folder = above.slice(0, settings.index)
  return folder === homeIfKnown() ? undefined : folder
}

/** Codex's own memory: MEMORY.md with groups of tasks, its summary, and notes that the user asked for. */
export async function* codexMemories(place: string): AsyncGenerator<FoundFile> {
  const isFolder = (await stat(place)).isDirectory()
  const files = isFolder
    ? [
        join(place, 'MEMORY.md'),
        join(place, 'memory_summary.md'),
        ...(await namesIn(join(place, 'extensions/ad_hoc/notes'))).map(name =>
          join(place, 'extensions/ad_hoc/notes', name),
        ),
      ]
    : [place]
  for (const path of files) {
    const file = await readMarkdown(path)
    if (file) yield { path, changedAt: file.changedAt, found: codexNotes(file) }
    else if (!isFolder) yield unreadable(path)
  }
  if (!isFolder) return
  const raw = (await namesIn(join(place, 'rollout_summaries'))).length
  const skills = (await namesIn(join(place, 'skills'))).length
  const found: LeftOut[] = [
    ...(raw > 0 ? [{ leftOut: 'summary of a session', count: raw }] : []),
    ...(skills > 0 ? [{ leftOut: 'skill', count: skills }] : []),
  ]
  if (found.length > 0) yield { path: place, changedAt: new Date(0), found }
}

const taskGroup = /^# Task Group: /mu
const appliesTo = /^applies_to:[ \t]*cwd=([^;\n]{1,4096})/mu
const aboutLine = /^(?:scope|applies_to|rollout_summary_files|description|keywords|cwd|updated_at):.*$/gmu
const noMemory = /^(?:rollout_summary_files|keywords|what's in memory)$/iu

function* codexNotes(file: MarkdownFile): Generator<FoundItem> {
  if (dirname(file.path).endsWith('notes'))
    return yield {
      key: file.path,
      content: file.text,
      what: 'note',
      type: typeOfText(file.text),
      importance: 0.8,
    }
  for (const group of file.text.split(taskGroup)) {
    const folder = appliesTo.exec(group)?.[1]?.trim()
    const project = folder && /^\/|^[a-zA-Z]:/u.test(folder) && !/ and \//u.test(folder) ? folder : undefined
    const title = group.slice(0, Math.max(0, group.indexOf('\n'))).trim()
    const body = group.slice(title.length).replace(aboutLine, '')
    for (const note of notesIn(body)) {
      if ('leftOut' in note) yield note
      else if (note.headings.some(one => noMemory.test(one.trim()))) yield { leftOut: 'index' }
      else yield codexNote(note.text, note.headings, { project, title })
    }
  }
}

function codexNote(
  text: string,
  headings: readonly string[],
  { project, title }: { project: string | undefined; title: string },
): FoundMemory {
  const section = headings.at(-1) ?? ''
  const [type, what]: [MemoryType, string] = /preference/iu.test(section)
    ? ['preference', 'preference']
    : /profile/iu.test(section)
      ? ['fact', 'profile']
      : /failure|differently/iu.test(section)
        ? ['learning', 'failure']
        : ['learning', 'knowledge']
  return {
    key: keyByText(project, text),
    content: text,
    what,
    type,
    project,
    hints: title === '' ? [] : [`${title}: ${text}`],
  }
}

const observation = /^\[([^[\]()]{1,100})\]\s+(\S.*)$/u
const relation = /^([^[\]\n]{1,200}?)\s*\[\[([^[\]\n]{1,500})\]\]/u
/** A check box or a time of a transcript looks like a category. */
const noCategory = /^(?:[ xX/>?-]|\d{1,3}:\d{2}.*)$/u

const categories: readonly [RegExp, MemoryType][] = [
  [/^(?:decision|choice|design|architecture)/iu, 'decision'],
  [/^(?:preference|like|dislike)/iu, 'preference'],
  [/^(?:rule|convention|requirement|constraint|principle|policy)/iu, 'rule'],
  [/^(?:issue|problem|bug|todo|question|risk)/iu, 'issue'],
  [/^(?:technique|method|step|process|how-?to|procedure|workflow)/iu, 'procedural'],
  [/^(?:tip|lesson|learning|insight|gotcha|experiment|finding)/iu, 'learning'],
]

/** Notes of Basic Memory: observations and relations are facts, the rest of a note is one text. */
export async function* basicMemory(place: string): AsyncGenerator<FoundFile> {
  for await (const file of markdownFilesAt(place)) {
    if ('text' in file) yield { path: file.path, changedAt: file.changedAt, found: basicNote(file, place) }
    else yield unreadable(file.path)
  }
}

function* basicNote(file: MarkdownFile, place: string): Generator<FoundItem> {
  const { fields, body } = frontMatterOf(file.text)
  const title = textsIn(fields.title)[0] ?? basename(file.path, '.md')
  const link = textsIn(fields.permalink)[0] ?? relative(place, file.path)
  const [createdAt] = textsIn(fields.created ?? fields.created_at ?? fields.date)
  const [updatedAt] = textsIn(fields.modified ?? fields.updated)
  const about = { createdAt, updatedAt, project: textsIn(fields.project)[0] }
  const tags = [...textsIn(fields.tags), ...textsIn(fields.type).filter(type => type !== 'note')]
  const prose: string[] = []
  for (const line of body.split('\n')) {
    const entry = /^\s{0,3}[-*+]\s+(\S.*)$/u.exec(line)?.[1]
    const [, category, text] = observation.exec(entry ?? '') ?? []
    const [, kind, target] = category === undefined ? (relation.exec(entry ?? '') ?? []) : []
    if (category && text && !noCategory.test(category)) {
      const type = categories.find(([words]) => words.test(category.trim()))?.[1] ?? 'fact'
      const own = [...text.matchAll(/(?:^|\s)#([\p{L}\p{N}_/-]{1,100})/gu)].map(([, tag = '']) => tag)
      const content = text.trim()
      yield {
        ...about,
        key: keyByText(link, category, content),
        content: `${title}: ${content}`,
        what: 'observation',
        type,
        tags: [...tags, category.trim(), ...own],
      }
    } else if (kind?.trim() && target) {
      const content = `${title} ${kind.trim().replaceAll('_', ' ')} ${target.trim()}`
      yield { ...about, key: keyByText(link, kind, target), content, what: 'relation', type: 'fact', tags }
    } else prose.push(line)
  }
  const text = prose
    .filter(line => !/^#{1,6}\s+(?:observations|relations)\s*$/iu.test(line))
    .join('\n')
    .trim()
  const rest = text.replace(/^#\s+.*(?:\n|$)/u, '').trim()
  if (rest !== '')
    yield { ...about, key: link, content: `${title}\n\n${rest}`, what: 'note', type: 'semantic', tags }
}
