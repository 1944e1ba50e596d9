import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { replaceFile } from '../../lib/files/replace-file.js'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { takeStartLock } from '../daemon/start-lock.js'
import type { CallOptions } from '../http/call-options.js'
import { formatOrigin, type Origin } from '../http/origin.js'
import type { Tokens } from './token-request.js'

/** A login at one daemon, as `memory login` saved it. */
export interface SavedLogin extends Tokens {
  clientId: string
  tokenEndpoint: string
  revocationEndpoint?: string | undefined
  /** The daemon as its issuer names it. */
  resource: string
}

/** A token is renewed this early, because a request takes a while. */
const earlyMs = 30_000
/** How long a process waits for another one that renews the same login. */
const lockTries = 50
const lockPauseMs = 100

/**
 * Adds the saved login to the options of a call to a daemon elsewhere, renewed if necessary. A key in the
 * environment comes first.
 */
export async function withLogin<O extends Pick<CallOptions, 'login' | 'workspace'>>(
  origin: Origin,
  options: O,
): Promise<O> {
  const { SERVICE_API_KEY, SERVICE_TOKEN } = process.env
  if (origin.expected || SERVICE_API_KEY || SERVICE_TOKEN) return options
  const saved = readLogin(options.workspace, formatOrigin(origin))
  if (!saved) return options
  const login = isFresh(saved) ? saved : await renewed(options.workspace, formatOrigin(origin))
  return login ? { ...options, login: login.accessToken } : options
}

/** Reads the login at a daemon; undefined without one. @param origin with its port. */
export function readLogin(workspace: string | undefined, origin: string): SavedLogin | undefined {
  return readAll(workspace)[origin]
}

/** Saves the login at a daemon, or removes it. */
export function saveLogin(
  workspace: string | undefined,
  origin: string,
  login: SavedLogin | undefined,
): void {
  const { [origin]: _old, ...others } = readAll(workspace)
  const all = login ? { ...others, [origin]: login } : others
  replaceFile(workspacePaths(workspace).logins, `${JSON.stringify(all, undefined, 2)}\n`, 0o600)
}

function readAll(workspace: string | undefined): Record<string, SavedLogin> {
  try {
    const all = jsonOf(readFileSync(workspacePaths(workspace).logins, 'utf8'))
    return isRecord(all) ? (all as Record<string, SavedLogin>) : {}
  } catch {
    return {}
  }
}

function isFresh({ expiresAt }: SavedLogin): boolean {
  return expiresAt - earlyMs > Date.now()
}

/** One process at a time renews: a second use of the same refresh token would end the login. */
async function renewed(workspace: string | undefined, origin: string): Promise<SavedLogin | undefined> {
  const lock = `${workspacePaths(workspace).logins}.lock`
  for (let tries = 0; tries < lockTries; tries += 1) {
    const release = takeStartLock(lock)
    if (release) {
      try {
        const saved = readLogin(workspace, origin)
        return !saved || isFresh(saved) ? saved : await renew(workspace, origin, saved)
      } finally {
        release()
      }
    }
    await sleep(lockPauseMs)
  }
  return readLogin(workspace, origin)
}

/** @returns the old login when it can't be renewed; the daemon then says that it has expired. */
async function renew(workspace: string | undefined, origin: string, saved: SavedLogin): Promise<SavedLogin> {
  if (!saved.refreshToken) return saved
  const { askTokens } = await import('./token-request.js')
  const reply = await askTokens(saved.tokenEndpoint, {
    grant_type: 'refresh_token',
    refresh_token: saved.refreshToken,
    client_id: saved.clientId,
    resource: saved.resource,
  }).catch(() => undefined)
  if (!reply || 'error' in reply) return saved
  const login = { ...saved, ...reply }
  saveLogin(workspace, origin, login)
  return login
}
