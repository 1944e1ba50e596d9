import { open, stat } from 'node:fs/promises'
import { parse, resolve, sep } from 'node:path'
import { type ExportAdapter, type LogAdapter, logAdapters } from '../../contract/knowledge/import-adapters.js'
import { homeIfKnown } from '../../lib/files/folders.js'
import { looksSealed } from '../../lib/keys/sealed-stream.js'
import { jsonOf } from '../../lib/text/json-of.js'
import { sessionFolders } from '../../lib/workspace/harness-files.js'
import { isReadable } from '../knowledge/documents/document-inputs.js'
import { CliError } from '../shell/cli-error.js'
import { unreadablePath } from '../shell/unreadable-path.js'
import { writerOf } from './session-logs.js'

/** Something that is read once: an export of memories, conversations in some format, or documents. */
export type ImportKind = 'memories' | 'documents' | LogAdapter | ExportAdapter

const headBytes = 256 * 1024

/**
 * Returns the kind of something that a person wants to import, by its place and beginning; an unknown file is
 * an export of memories, whose lines say what is wrong with it.
 * @throws CliError `invalid_input` for an unreadable path.
 */
export async function importKindOf(word: string): Promise<ImportKind> {
  if (word === '-') return 'memories'
  if (/^https?:\/\//iu.test(word)) return 'documents'
  const path = resolve(word)
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadablePath(word, cause)
  })
  const owner = logAdapters.find(from =>
    sessionFolders(from, process.env).some(folder => path === folder || path.startsWith(folder + sep)),
  )
  if (owner) return owner
  if (found.isDirectory()) return requireSmall(path)
  if (await isSealedFile(path)) return 'memories'
  return kindOfText(await headOf(path)) ?? (isReadable(path) ? 'documents' : 'memories')
}

/** @throws CliError `invalid_input` for a folder with far more than documents. */
function requireSmall(path: string): 'documents' {
  if (path !== parse(path).root && path !== homeIfKnown()) return 'documents'
  throw new CliError(`${path} has far more than documents; name a folder in it`, {
    code: 'invalid_input',
    exit: 'usage',
  })
}

function kindOfText(head: string): ImportKind | undefined {
  // A page may contain such words too.
  if (!/^\s*[[{]/u.test(head)) return undefined
  const first = jsonOf(head.split('\n', 1)[0] ?? '') as
    | { kind?: unknown; sessionKey?: unknown }
    | null
    | undefined
  if (first?.kind === 'header') return 'memories'
  const writer = writerOf(head)
  if (writer) return writer
  if (typeof first?.sessionKey === 'string') return 'service-export'
  if (/"chat_messages"\s*:/u.test(head)) return 'claude-export'
  if (/"header"\s*:\s*"(?:Gemini|Bard)/u.test(head)) return 'gemini-takeout'
  return /"mapping"\s*:\s*\{/u.test(head) ? 'chatgpt-export' : undefined
}

/** True for an export that is encrypted with age. */
export async function isSealedFile(path: string): Promise<boolean> {
  return looksSealed(Buffer.from(await headOf(path)))
}

async function headOf(path: string): Promise<string> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
