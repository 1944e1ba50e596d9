import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  type ClientCapabilities,
  ErrorCode,
  ListResourcesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { packageText } from '../lib/files/package-root.js'
import { type ListedTool, listedTool } from './listed-tool.js'
import { resourceNotFound } from './modern/envelope.js'
import { browserTools, memoryBrowse } from './tools/memory/browser.js'

/** The extension of clients that show HTML of servers (MCP Apps). */
export const appsExtension = 'io.modelcontextprotocol/ui'

const appUri = 'ui://memory/browser'
const appMimeType = 'text/html;profile=mcp-app'

/** The browser of memories as a resource. */
export const appResource = {
  uri: appUri,
  name: 'memory-browser',
  title: 'Memories',
  description: 'Searches, opens, pins and forgets memories',
  mimeType: appMimeType,
}

/** When a server offers the browser: never, to clients that announce the extension, or always. */
export type Apps = 'hidden' | 'announced' | 'shown'

/** Returns true if a client shows HTML of servers. */
export function announcesApps({ extensions }: ClientCapabilities): boolean {
  const { mimeTypes } = (extensions?.[appsExtension] ?? {}) as { mimeTypes?: unknown }
  return Array.isArray(mimeTypes) && mimeTypes.includes(appMimeType)
}

export type AppTool = ListedTool & { _meta: object }

/**
 * Returns the tools that a list lacks for the browser. Only the one that opens it is for the model: clients
 * leave out the others, which the browser calls.
 */
export function appToolsBeside(listed: readonly ListedTool[]): AppTool[] {
  const names = new Set(listed.map(({ name }) => name))
  return browserTools
    .filter(({ name }) => !names.has(name))
    .map(tool => ({ ...listedTool(tool), _meta: tool === memoryBrowse ? opensApp : calledByApp }))
}

/** The second form of the address is that of clients before 2026-01-26. */
const opensApp = {
  ui: { resourceUri: appUri, visibility: ['model', 'app'] },
  'ui/resourceUri': appUri,
}
const calledByApp = { ui: { visibility: ['app'] } }

/** The content of the browser for `resources/read`; undefined for another address. */
export function readApp(uri: string) {
  if (uri !== appUri) return undefined
  const text = packageText('dist', 'mcp-app.html')
  if (text === undefined)
    throw new McpError(ErrorCode.InternalError, 'dist/mcp-app.html is missing: install the package again')
  const _meta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } }
  return { contents: [{ uri, mimeType: appMimeType, text, _meta }] }
}

/** Adds the browser as the only resource of a server without others, where it is shown. */
export function addOnlyApp(server: Server, isShown: () => boolean): void {
  const shown = <T>(result: T): T => {
    if (isShown()) return result
    throw new McpError(ErrorCode.MethodNotFound, 'Method not found')
  }
  server.setRequestHandler(ListResourcesRequestSchema, () => shown({ resources: [appResource] }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const content = shown(readApp)(uri)
    if (content) return content
    throw new McpError(resourceNotFound, `unknown resource ${uri}; there is ${appUri}`)
  })
}
