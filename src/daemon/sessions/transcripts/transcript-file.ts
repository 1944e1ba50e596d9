import { constants, type Stats } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import { isInside } from '../../../lib/files/folders.js'
import { quoted } from '../../../lib/text/clip.js'
import { type FolderOwner, sessionFolders } from '../../../lib/workspace/harness-files.js'
import { isOwnFile } from '../../../lib/workspace/own-file.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Maximum size of a transcript file; most of it is output of tools. */
export const maxFileBytes = 256 * 1024 * 1024

/** Folder in which connectors put transcripts for checkpoints (rules.md 4.10). */
export const stagingRoot = join(tmpdir(), 'memory-service')

const sessionFileOwners: readonly FolderOwner[] = [
  'claude-code',
  'codex',
  'gemini',
  'copilot',
  'kimi',
  'qwen',
  'pi',
  'oh-my-pi',
]

/** A readable file: its path without links, and its size. */
export interface TranscriptFile {
  path: string
  bytes: number
}

/**
 * Checks a transcript path from a hook. It must be a regular file of the daemon's user and not a file of the
 * workspace.
 * @returns undefined for a missing file.
 * @throws AppError `validation_failed` for a relative path or an unsuitable file, `payload_too_large`.
 */
export async function transcriptFile(
  { paths }: Pick<Daemon, 'paths'>,
  path: string,
): Promise<TranscriptFile | undefined> {
  if (!isAbsolute(path)) throw transcriptPathError(path, 'must be an absolute path')
  if (path.includes('\0')) throw transcriptPathError(path, 'is not a valid path')
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw transcriptPathError(path, 'cannot be read', error)
  })
  if (real === undefined) return undefined
  if (await isOwnFile(paths, real)) throw transcriptPathError(path, 'is a file of the workspace itself')
  const found = await stat(real)
  if (!found.isFile()) throw transcriptPathError(path, 'is not a regular file')
  if (!isOwn(found)) throw transcriptPathError(path, 'belongs to another user')
  await access(real, constants.R_OK).catch(error => {
    throw transcriptPathError(path, 'cannot be read', error)
  })
  if (found.size > maxFileBytes)
    throw new AppError(
      'payload_too_large',
      `the transcript ${quoted(path)} has ${found.size} bytes; at most ${maxFileBytes} are read`,
    )
  return { path: real, bytes: found.size }
}

/** The caller's fields that decide which files it may name. */
type FileCaller = Pick<Caller, 'access' | 'peer' | 'forwarded'>

/**
 * True when a caller may name a file, with links followed. Only callers on this machine may. A caller with a
 * credential can read back what is captured, so unless it is an admin, it may name only files below the
 * staging root and the session folders of harnesses.
 */
export async function mayNameTranscript(
  { environment }: Pick<Daemon, 'environment'>,
  caller: FileCaller,
  path: string,
): Promise<boolean> {
  const { credential, role } = caller.access
  if (!isOnThisMachine(caller)) return false
  if (credential === 'none' || role === 'admin') return true
  const real = await realpath(path).catch(() => resolve(path))
  if (!/\.jsonl?$/u.test(real)) return false
  const roots = await Promise.all(
    [stagingRoot, ...sessionFileOwners.flatMap(keeper => sessionFolders(keeper, environment))].map(root =>
      realpath(root).catch(() => undefined),
    ),
  )
  return roots.some(root => root !== undefined && isInside(root, real))
}

/** True for a file below the staging root; both paths without links. */
export async function isStaged(file: Pick<TranscriptFile, 'path'>): Promise<boolean> {
  const root = await realpath(stagingRoot).catch(() => undefined)
  return root !== undefined && isInside(root, file.path)
}

/** On systems without user numbers, the system's own permissions decide. */
function isOwn({ uid }: Stats): boolean {
  const own = process.getuid?.()
  return own === undefined || own === uid
}

/** @param cause the system error, which may be temporary. */
export function transcriptPathError(path: string, why: string, cause?: unknown): AppError {
  const message = `transcriptPath ${quoted(path)} ${why}`
  return new AppError('validation_failed', message, [{ path: 'transcriptPath', message: why }], { cause })
}
