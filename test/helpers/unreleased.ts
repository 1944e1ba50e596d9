import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryWorkspace } from './daemon.js'

const archive = join(import.meta.dirname, '..', 'fixtures', 'unreleased', 'workspace.tar.gz')

/** The time its last file was written; nothing in it expires within a day from here. */
export const unreleasedTime = new Date('2026-11-28T09:00:00Z')

/**
 * A workspace created by the commands of commit 67e2b6b0, whose database has all 46 migrations. It contains
 * memories, a document, a task, a secret, a message, a session with its transcript, and a backup of them.
 */
export function unreleasedWorkspace(t: ExecutionContext): string {
  const workspace = temporaryWorkspace(t)
  execFileSync('tar', ['-xzf', archive, '-C', workspace, '--no-same-owner'])
  return workspace
}
