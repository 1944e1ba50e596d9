import { signal } from '@preact/signals'
import type { Reply, Request } from '../../contract/api.js'
import type { Permission } from '../../contract/ground/endpoint.js'
import { call, dropCredential, keepCredential, needsLogin } from './call.js'

export type CurrentCaller = Reply<'GET /api/auth/whoami'>

/** The user of the page; undefined until the daemon has replied. */
export const who = signal<CurrentCaller | undefined>(undefined)

type RecallBody = Omit<NonNullable<Request<'POST /api/memory/recall'>['body']>, 'trial'>

/**
 * Runs a recall as a trial. The user of the page is not an agent, so the recall is not counted if the
 * credential permits that (recall.md#trials).
 */
export function tryRecall(
  asked: RecallBody,
  signal?: AbortSignal,
): Promise<Reply<'POST /api/memory/recall'>> {
  const body = { ...asked, trial: may('analytics') }
  return call('POST /api/memory/recall', { body }, signal ? { signal } : {})
}

/** Fetches the user from the daemon. @throws ApiError */
export async function enter(): Promise<void> {
  who.value = await call('GET /api/auth/whoami')
  needsLogin.value = false
}

/** Returns true to show what needs this permission; the daemon checks it in any case. */
export function may(permission: Permission | undefined): boolean {
  return permission === undefined || (who.value?.permissions.includes(permission) ?? false)
}

/** Signs in with an API key or a token. @throws ApiError if the daemon rejects it. */
export async function signInByKey(key: string): Promise<void> {
  keepCredential(key.trim())
  try {
    await enter()
  } catch (error) {
    dropCredential()
    throw error
  }
}

/** Signs in as the admin. @throws ApiError */
export async function signInByPassword(username: string, password: string): Promise<void> {
  const { token } = await call('POST /api/auth/login', { body: { username, password } })
  await signInByKey(token)
}

export function signOut(): void {
  dropCredential()
  who.value = undefined
  needsLogin.value = true
}
