import { signal } from '@preact/signals'
import type { Address, Reply, Request } from '../../contract/api.js'
import { afterHeader, changeHeader } from '../../lib/workspace/peer-headers.js'
import { pathOf } from './address.js'
import { ApiError, errorOf, unreachable } from './api-error.js'

export interface CallOptions {
  signal?: AbortSignal
}

/** True if the last request reached the daemon. */
export const isReachable = signal(true)

/** True if the daemon requires a credential that this tab lacks. */
export const needsLogin = signal(false)

/** Sets one key of agent.yaml, whose other lines and comments stay. @param value as YAML */
export async function changeSetting(key: string, value: string): Promise<void> {
  const { text, version } = await call('GET /api/settings')
  await call('POST /api/settings', { body: { text, version, values: { [key]: value } } })
}

/**
 * Calls one endpoint of the daemon that served this page.
 * @throws ApiError with advice; the browser's AbortError if the signal aborts.
 */
export async function call<A extends Address>(
  address: A,
  request: Request<A> = {},
  options: CallOptions = {},
): Promise<Reply<A>> {
  const response = await send(address, request, options)
  const text = await response.text()
  const body = isJson(response) ? parsed(text) : text
  if (!response.ok) throw failed(response.status, body)
  return body as Reply<A>
}

/** Calls an endpoint whose reply is a stream; returns once a successful head has arrived. */
export async function open<A extends Address>(
  address: A,
  request: Request<A> = {},
  options: CallOptions = {},
): Promise<Response> {
  const response = await send(address, request, options)
  if (response.ok) return response
  throw failed(response.status, parsed(await response.text()))
}

/**
 * Returns the error of a part of the page that did not arrive. Its own error is a browser's and names a file.
 * @throws nothing
 */
export async function errorOfCode(): Promise<ApiError> {
  if (await isHealthy()) {
    return new ApiError('This page did not load', 'page', 0, 'Reload it: the daemon may have been updated.')
  }
  isReachable.value = false
  return unreachable()
}

/** Returns true if the daemon answers. Needs no credential. */
export function isHealthy(): Promise<boolean> {
  return fetch('/health', { cache: 'no-store', credentials: 'omit' }).then(
    () => true,
    () => false,
  )
}

/** Other daemons may serve the same address: each has to know the last change of this page. */
let known: string | null = null

async function send<A extends Address>(
  address: A,
  request: Request<A>,
  { signal }: CallOptions,
): Promise<Response> {
  const [method = 'GET', path = '/'] = address.split(' ')
  const { params, query, body, headers, form, bytes } = request
  const json = body === undefined ? undefined : JSON.stringify(body)
  const response = await fetch(pathOf(path, params, query), {
    method,
    headers: {
      ...headersOfPage(),
      ...(known !== null && { [afterHeader]: known }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...definedOf(headers),
    },
    body: json ?? (form as FormData | undefined) ?? (bytes as BodyInit | undefined) ?? null,
    credentials: 'omit',
    cache: 'no-store',
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    isReachable.value = false
    throw unreachable()
  })
  isReachable.value = true
  known = response.headers.get(changeHeader) ?? known
  return response
}

function failed(status: number, body: unknown): ApiError {
  const error = errorOf(status, body)
  if (status === 401 && error.code === 'unauthenticated') {
    dropCredential()
    needsLogin.value = true
  }
  return error
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('json') ?? false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function definedOf(headers: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

const key = 'memory-service.credential'

/**
 * Returns the page's credential. It is stored for this tab only, so it ends with the tab; and it is sent only
 * as a header, so that no other page can make the browser send it.
 */
function credential(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined
}

export function keepCredential(text: string): void {
  sessionStorage.setItem(key, text)
}

export function dropCredential(): void {
  sessionStorage.removeItem(key)
}

/** Returns the headers of every request: the credential, and the page as its origin for usage statistics. */
function headersOfPage(): Record<string, string> {
  const text = credential()
  return { 'x-service-surface': 'dashboard', ...(text !== undefined && { authorization: `Bearer ${text}` }) }
}
