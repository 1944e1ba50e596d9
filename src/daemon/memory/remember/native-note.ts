import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { rememberBody } from '../../../contract/memory/memory.js'
import type { NativeNoteBody, NativeNoteReply } from '../../../contract/memory/native-note.js'
import { createNote, removeNote } from '../../../store/files/note-file.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { parseInput } from '../../platform/http/errors.js'
import { noteSource } from '../records/holders.js'
import { storageContent } from '../records/normalise-content.js'
import { publicContent } from '../records/private-parts.js'
import { remember } from './remember.js'

/** The harness of these notes, and their folder in the workspace. */
const harness = 'codex'
const folder = `memory/${harness}/notes`
const maxSlugLength = 60

/** Paths made by `fileName`. Callers may name any source path, and other files must not be deleted. */
const ownPath = /^memory\/codex\/notes\/[a-z0-9-]+\.md$/u

type Deps = Parameters<typeof remember>[0] & Pick<Daemon, 'paths'>

/**
 * Stores a note as a Markdown file below `memory/` and as a memory that names it (rules.md 4.3). The file is
 * written first and removed when the memory can't be saved. A known note returns its existing file. Errors of
 * the save are thrown.
 * @returns the absolute path of the file.
 */
export async function nativeNote(
  deps: Deps,
  caller: Caller,
  asked: NativeNoteBody,
): Promise<NativeNoteReply> {
  const body = publicNote(asked)
  const path = `${folder}/${fileName(body)}`
  const file = join(deps.paths.root, path)
  const created = await createNote(file, noteText(body))
  const undo = async () => {
    if (created) await removeNote(file)
  }
  try {
    const home = await saveNote(deps, caller, body, path)
    if (home !== path) await undo()
    // A concurrent save that wrote the file first may have failed and removed it.
    else if (!created) await createNote(file, noteText(body))
    return { ok: true, path: join(deps.paths.root, home) }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Deletes the file of a memory that was saved as a note; other memories have none. */
export async function removeNoteOf(
  { paths }: Pick<Daemon, 'paths'>,
  { source_type, source_path }: Pick<MemoryRow, 'source_type' | 'source_path'>,
): Promise<void> {
  if (source_type === noteSource && source_path !== null && ownPath.test(source_path))
    await removeNote(join(paths.root, source_path))
}

/**
 * Removes private parts, so that neither the file nor its name contains them.
 * @throws AppError `validation_failed` when all of its content is private.
 */
function publicNote({ content, title, ...others }: NativeNoteBody): NativeNoteBody {
  return { ...others, content: publicContent(content), title: title && withoutPrivate(title).trim() }
}

/**
 * @returns the path in the memory of this note, which may be that of an earlier note with the same content.
 */
async function saveNote(
  deps: Deps,
  caller: Caller,
  { content, title, tags }: NativeNoteBody,
  path: string,
): Promise<string> {
  const { id, deduped } = await remember(
    deps,
    caller,
    parseInput(rememberBody, {
      content,
      tags,
      // A credential limited to a user writes under that user's name.
      ...(caller.access.scope.user === undefined && { who: harness }),
      sourceType: noteSource,
      sourcePath: path,
      visibility: deps.configuration().settings.hooks.compaction.visibility,
      ...(title && { structured: { hints: [title] } }),
    }),
  )
  if (!deduped) return path
  const [row] = await deps.store.tables.memories.load([id])
  return row?.source_type === noteSource && row.source_path ? row.source_path : path
}

/**
 * Only letters, digits and a hash of the text: a title can't leave the folder, and only a retry gets the same
 * file.
 */
function fileName(note: NativeNoteBody): string {
  const slug = (note.title ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .slice(0, maxSlugLength)
    .replace(/^-|-$/gu, '')
  const hash = createHash('sha256').update(noteText(note)).digest('hex')
  return `${slug || 'note'}-${hash.slice(0, 16)}.md`
}

function noteText({ title, content }: NativeNoteBody): string {
  const heading = title ? `# ${storageContent(title)}\n\n` : ''
  return `${heading}${content}${content.endsWith('\n') ? '' : '\n'}`
}
