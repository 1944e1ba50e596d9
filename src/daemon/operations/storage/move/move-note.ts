import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type MoveNote, moveNote, type StorageMove } from '../../../../contract/operations/storage.js'
import { replaceFile } from '../../../../lib/files/replace-file.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import type { WorkspacePaths } from '../../../../lib/workspace/paths.js'

type Paths = Pick<WorkspacePaths, 'storageMove' | 'storageMoveNote' | 'storageMoveCancel'>

/** @returns the move in progress or the last one. @throws Error for a note that can't be read */
export function readMove(paths: Paths): MoveNote | undefined {
  if (!existsSync(paths.storageMoveNote)) return undefined
  return moveNote.parse(jsonOf(readFileSync(paths.storageMoveNote, 'utf8')))
}

/** The note decides after a kill: it is on the disk once this returns. */
export function writeMove(paths: Paths, note: MoveNote): void {
  mkdirSync(paths.storageMove, { recursive: true, mode: 0o700 })
  replaceFile(paths.storageMoveNote, JSON.stringify(note), 0o600)
}

export async function forgetMove(paths: Paths): Promise<void> {
  await rm(paths.storageMove, { recursive: true, force: true, maxRetries: 5 })
}

/** True while a move has to be finished before the store is opened. */
export function isUnfinished({ phase }: MoveNote): boolean {
  return phase === 'copying' || phase === 'placing'
}

export function isCancelled(paths: Paths): boolean {
  return existsSync(paths.storageMoveCancel)
}

export async function removeCancel(paths: Paths): Promise<void> {
  await rm(paths.storageMoveCancel, { force: true, maxRetries: 5 })
}

/** The new file while it is filled, and the old one after the move. */
export const incomingFile = (paths: Paths): string => join(paths.storageMove, 'incoming.db')
export const oldFile = (paths: Paths): string => join(paths.storageMove, 'memories.db')

/** The last move for people, without the addresses of its stores. */
export function lastMove(paths: Paths): StorageMove | null {
  const note = readMove(paths)
  if (!note) return null
  return { ...note, from: note.from.place, to: note.to.place, old: note.old?.place ?? null }
}
