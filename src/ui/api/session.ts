import { signal } from '@preact/signals'
import type { Reply } from '../../contract/api.js'
import type { Permission } from '../../contract/ground/endpoint.js'
import { call, dropCredential, keepCredential } from './call.js'
import { needsLogin } from './reach.js'

export type Who = Reply<'GET /api/auth/whoami'>

/** Who looks at the page; undefined until the daemon said so. */
export const who = signal<Who | undefined>(undefined)

/** Asks the daemon who this is. @throws ApiError */
export async function enter(): Promise<void> {
  who.value = await call('GET /api/auth/whoami')
  needsLogin.value = false
}

/** Whether to show what needs this permission; the daemon checks it all the same. */
export function may(permission: Permission | undefined): boolean {
  return permission === undefined || (who.value?.permissions.includes(permission) ?? false)
}

/** Signs in by an API key or a token. @throws ApiError when the daemon does not take it. */
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
