import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readSync } from 'node:fs'
import { isBinary } from '../../../../../lib/files/is-binary.js'
import { openForeignSync } from '../../../../../lib/files/open-foreign.js'
import { maxFileBytes, type Refusal, refusedByText } from './refusal.js'

export interface CodeText {
  text: string
  hash: string
  size: number
  mtimeMs: number
}

export type CodeReadResult = CodeText | (Refusal & { hash: string | null; size: number; mtimeMs: number })

const attempts = 3

/** Reads a whole file without following links. A file that changes during the read is read again. */
export function readCode(path: string): CodeReadResult {
  try {
    const fd = openForeignSync(path)
    try {
      return readOpen(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const nothing = { hash: null, size: 0, mtimeMs: 0 }
    return code === 'ELOOP'
      ? { reason: 'link', ...nothing }
      : { reason: 'unreadable', message: code ?? message, ...nothing }
  }
}

function readOpen(fd: number): CodeReadResult {
  for (let attempt = 1; ; attempt++) {
    const before = fstatSync(fd)
    const seen = { size: before.size, mtimeMs: Math.round(before.mtimeMs) }
    if (before.size > maxFileBytes) return { reason: 'too_large', hash: null, ...seen }
    const bytes = Buffer.alloc(before.size + 1)
    const length = fill(fd, bytes)
    const after = fstatSync(fd)
    const isSame = length === before.size && after.size === before.size && after.mtimeMs === before.mtimeMs
    if (isSame) return textOrRefusal(bytes.subarray(0, length), seen)
    if (attempt === attempts) return { reason: 'changing', hash: null, ...seen }
  }
}

function fill(fd: number, bytes: Buffer): number {
  let length = 0
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, length)
    if (read === 0) break
    length += read
  }
  return length
}

function textOrRefusal(bytes: Uint8Array, seen: { size: number; mtimeMs: number }): CodeReadResult {
  const known = { hash: createHash('sha256').update(bytes).digest('hex'), ...seen }
  if (isBinary(bytes)) return { reason: 'binary', ...known }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const refusal = refusedByText(text)
    return refusal ? { ...refusal, ...known } : { text, ...known }
  } catch {
    return { reason: 'not_utf8', ...known }
  }
}
