import { isRecord } from '../../lib/text/json-of.js'
import { ClientError } from '../http/client-error.js'

const timeoutMs = 15_000
/** Seconds that a token without a stated life counts as valid. */
const usualLife = 300

export interface Tokens {
  accessToken: string
  refreshToken?: string | undefined
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Asks a token endpoint. @returns the tokens, or OAuth's word for the refusal */
export async function askTokens(
  endpoint: string,
  fields: Readonly<Record<string, string>>,
): Promise<Tokens | { error: string }> {
  const reply = await postForm(endpoint, fields)
  if (typeof reply.access_token !== 'string') return { error: String(reply.error ?? 'no access_token') }
  const { refresh_token: refreshToken, expires_in: life = usualLife } = reply
  return {
    accessToken: reply.access_token,
    ...(typeof refreshToken === 'string' && { refreshToken }),
    expiresAt: Date.now() + Number(life) * 1000,
  }
}

/** Sends a form. @returns the JSON of the answer, also of a refusal */
export function postForm(
  endpoint: string,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  return ask(endpoint, { method: 'POST', body: new URLSearchParams(fields) })
}

/** Requests JSON of an endpoint of OAuth. @throws ClientError `daemon_unavailable` for any other answer */
export async function ask(
  endpoint: string,
  request: { method?: string; body?: URLSearchParams | string; headers?: Record<string, string> } = {},
): Promise<Record<string, unknown>> {
  const { origin } = new URL(endpoint)
  try {
    const response = await fetch(endpoint, {
      ...request,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body: unknown = await response.json()
    if (isRecord(body)) return body
    throw new Error(`status ${response.status} without an object`)
  } catch (error) {
    const { message, cause } = error as Error
    const why = cause instanceof Error ? cause.message : message
    throw new ClientError(`${origin} did not answer as a login does: ${why}`, {
      code: 'daemon_unavailable',
      nextSteps: ['check the address of the daemon', 'memory login --url https://HOST'],
      cause: error,
    })
  }
}

/** Ends a login at its issuer. A daemon that does not answer forgets it in time. */
export async function revoke({
  revocationEndpoint,
  clientId,
  refreshToken,
  accessToken,
}: Pick<Tokens, 'accessToken' | 'refreshToken'> & {
  revocationEndpoint?: string | undefined
  clientId: string
}): Promise<void> {
  if (!revocationEndpoint) return
  const token = refreshToken ?? accessToken
  // The answer of a success is empty.
  await postForm(revocationEndpoint, { token, client_id: clientId }).catch(() => undefined)
}
