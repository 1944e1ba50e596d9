import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { AppError } from '../../../../contract/ground/errors.js'
import {
  type AddedSource,
  type VaultBody,
  vaultExcludes,
} from '../../../../contract/knowledge/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../../platform/auth/loopback.js'
import { addSource } from '../core/add-source.js'
import type { SourceDeps } from '../core/runs.js'
import { notevault } from './notevault.js'

/**
 * Registers the vault in a folder of this machine. @throws AppError `validation_failed` for what is no folder,
 * `forbidden` for callers from elsewhere
 */
export async function addVault(deps: SourceDeps, caller: Caller, body: VaultBody): Promise<AddedSource> {
  if (!isOnThisMachine(caller))
    throw new AppError('forbidden', "a vault is read for callers on the daemon's machine only")
  const path = await folderOf(body.path ?? body.root ?? '')
  const settings = { path, excludeGlobs: body.excludeGlobs ?? [...vaultExcludes] }
  return addSource(deps, caller, { kind: notevault, settings, name: body.name, named: body })
}

/** The folder itself, wherever links lead to it: one vault has one id. */
async function folderOf(path: string): Promise<string> {
  const invalid = (why: string) => new AppError('validation_failed', `path ${quoted(path)}: ${why}`)
  if (!isAbsolute(path)) throw invalid('it is no absolute path')
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error)
    throw invalid(stats.code === 'EACCES' ? 'the daemon may not read it' : 'there is no such folder')
  if (!stats.isDirectory()) throw invalid('it is a file; give the folder of the vault')
  return realpath(resolve(path))
}
