import type { McpUiHostContext, McpUiInitializeResult } from '@modelcontextprotocol/ext-apps'
import { signal } from '@preact/signals'
import { ApiError } from '../api/api-error.js'

/** Revision of the protocol between an app and its host, and the time for its answers. */
const revision = '2026-01-26'
const answerMs = 30_000

type Message = { jsonrpc: '2.0'; id?: number | string; method?: string } & Record<string, unknown>

/** The tool's arguments with which the model opened the browser. */
export interface BrowseInput {
  query?: string
  project?: string
}

/** Theme and room of the host. */
export const hostContext = signal<McpUiHostContext>({})
/** Undefined until the host says it. */
export const asked = signal<BrowseInput | undefined>(undefined)

const waiting = new Map<number | string, { resolve(result: unknown): void; reject(error: Error): void }>()
const numbers = { next: 1 }

/**
 * Greets the client that shows this browser, by messages of JSON-RPC to the window around it.
 * @throws ApiError when it does not answer, or lets no app call tools.
 */
export async function connectHost(version: string): Promise<void> {
  window.addEventListener('message', receive)
  const { hostContext: context, hostCapabilities } = await ask<McpUiInitializeResult>('ui/initialize', {
    protocolVersion: revision,
    appInfo: { name: 'memory-browser', title: 'Memories', version },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  })
  hostContext.value = context ?? {}
  post({ method: 'ui/notifications/initialized', params: {} })
  reportSize()
  if (hostCapabilities?.serverTools) return
  const next = 'Use memory browse in a terminal, or another client.'
  throw new ApiError('This client does not let the browser call tools', 'no_tools', 0, next)
}

/** Calls a tool of the server through the client. @throws ApiError with the tool's advice. */
export async function callTool<T>(name: string, args: object): Promise<T> {
  const result = await ask<ToolResult>('tools/call', { name, arguments: args })
  if (!result.isError && result.structuredContent) return result.structuredContent as T
  const text = result.content?.find(part => part.type === 'text')?.text ?? 'The tool gave no data'
  const [message = text, ...next] = text.split('\n')
  throw new ApiError(message, 'tool', 0, next.join(' '))
}

interface ToolResult {
  content?: { type: string; text?: string }[]
  structuredContent?: unknown
  isError?: boolean
}

function ask<T>(method: string, params: object): Promise<T> {
  const id = numbers.next++
  return new Promise<T>((resolve, reject) => {
    const late = setTimeout(() => {
      waiting.delete(id)
      reject(
        new ApiError('The client does not answer', 'timeout', 0, 'Try again, or open the browser again.'),
      )
    }, answerMs)
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(late)
        settle(value)
      }
    waiting.set(id, { resolve: settled(resolve as (result: unknown) => void), reject: settled(reject) })
    post({ id, method, params })
  })
}

/** The window around may be of any origin; it shows what it gets from the server anyway. */
function post(message: object): void {
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
}

function receive({ source, data }: MessageEvent<Message | undefined>): void {
  if (source !== window.parent || data?.jsonrpc !== '2.0') return
  const { id, method, params, result, error } = data
  if (method !== undefined) {
    if (id === undefined) hear(method, (params ?? {}) as Record<string, unknown>)
    else answer(id, method)
    return
  }
  const asker = id === undefined ? undefined : waiting.get(id)
  if (id === undefined || !asker) return
  waiting.delete(id)
  if (error === undefined) asker.resolve(result)
  else asker.reject(refused(error as { message?: string }))
}

function refused({ message = 'The client refused' }: { message?: string }): ApiError {
  return new ApiError(message, 'refused', 0, 'Allow it in the client, then try again.')
}

function hear(method: string, params: Record<string, unknown>): void {
  if (method === 'ui/notifications/tool-input') asked.value = (params.arguments ?? {}) as BrowseInput
  // A result without input, and a call that was cancelled, open the newest memories.
  if (method === 'ui/notifications/tool-result' || method === 'ui/notifications/tool-cancelled')
    asked.value ??= {}
  if (method === 'ui/notifications/host-context-changed')
    hostContext.value = { ...hostContext.value, ...params }
}

function answer(id: number | string, method: string): void {
  const isKnown = method === 'ping' || method === 'ui/resource-teardown'
  post(isKnown ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } })
}

/** Tells the host the height of the content whenever it changes. */
function reportSize(): void {
  const body = document.body
  const report = () => {
    const size = { width: window.innerWidth, height: Math.ceil(body.getBoundingClientRect().height) }
    post({ method: 'ui/notifications/size-changed', params: size })
  }
  new ResizeObserver(report).observe(body)
}
