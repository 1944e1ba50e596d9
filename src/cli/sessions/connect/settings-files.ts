import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { writableCommand } from '../../../lib/text/shell-words.js'
import { CliError } from '../../shell/cli-error.js'
import { MergeFault } from './entries/merge-fault.js'

/** One file before and after a change; undefined if it does not exist. */
export interface FileChange {
  /** Path in the spelling of the harness. */
  path: string
  before: Buffer | undefined
  after: Buffer | undefined
  /** Permissions if the file is new; by default for its owner alone. */
  newMode?: number
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** New files hold commands that harnesses run, and may hold a key. */
const ownerOnly = 0o600
const writeBits = 0o222
const mostLinks = 40

/** @returns undefined if the file is missing. @throws Node's error if it cannot be read. */
export function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Decodes a settings file, including its byte order mark. @throws MergeFault if it is not UTF-8. */
export function textOf(bytes: Buffer | undefined): string {
  try {
    return decoder.decode(bytes ?? Buffer.alloc(0))
  } catch {
    throw new MergeFault(1, 'is not UTF-8 text')
  }
}

/** Returns the missing folders of the files, outermost first. */
export function missingFolders(changes: readonly FileChange[]): string[] {
  return [...new Set(changes.flatMap(({ path }) => missingAbove(dirname(targetOf(path)))))]
}

/**
 * Applies all changes or none: if one fails, the files before it are restored.
 * @throws CliError `not_writable` or `changed_meanwhile`.
 */
export function applyChanges(changes: readonly FileChange[]): void {
  const done: FileChange[] = []
  const folders = missingFolders(changes)
  try {
    for (const change of changes) requireUnchanged(change)
    for (const folder of folders) mkdirSync(folder)
    for (const change of changes) {
      write(change)
      done.push(change)
    }
  } catch (error) {
    for (const { path, before, after } of done.reverse()) write({ path, before: after, after: before })
    removeEmptyFolders(folders)
    throw error instanceof CliError ? error : notWritable(error as NodeJS.ErrnoException)
  }
}

/** Removes the empty ones of some folders, innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

/** Writes through links, so that a linked settings file stays linked, and preserves permissions. */
function write({ path, after, newMode = ownerOnly }: FileChange): void {
  const target = targetOf(path)
  if (after === undefined) {
    rmSync(target, { force: true, maxRetries: 5 })
    return
  }
  const mode = existsSync(target) ? statSync(target).mode & 0o7777 : newMode
  if ((mode & writeBits) === 0) throw readOnly(path)
  replaceFile(target, after, mode)
}

/** A harness may have written the file since it was read. */
function requireUnchanged({ path, before }: FileChange): void {
  const now = readBytes(path)
  const isSame = now === undefined || before === undefined ? now === before : now.equals(before)
  if (isSame) return
  throw new CliError(`${path} was changed by another program in the meantime; nothing was written`, {
    code: 'changed_meanwhile',
    exit: 'refused',
    nextSteps: ['try again'],
  })
}

/** Resolves a link, even if its target does not exist. */
function targetOf(path: string): string {
  let target = path
  for (let links = 0; links < mostLinks && isLink(target); links++)
    target = resolve(dirname(target), readlinkSync(target))
  return target
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function missingAbove(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingAbove(dirname(folder)), folder]
}

function readOnly(path: string): CliError {
  return new CliError(`${path} is read-only; nothing was written`, {
    code: 'not_writable',
    exit: 'refused',
    nextSteps: [writableCommand(path), 'or change the source from which the file is generated'],
  })
}

function notWritable(error: NodeJS.ErrnoException): CliError {
  return new CliError(`nothing was written: ${error.message}`, {
    code: 'not_writable',
    exit: 'failure',
    cause: error,
  })
}
