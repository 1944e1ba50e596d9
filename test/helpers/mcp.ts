import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ExecutionContext } from 'ava'
import { environmentOf } from './cli.js'

/** Connects the SDK's client to `/mcp` of a daemon; it is closed with the test. */
export async function connectHttp(
  t: ExecutionContext,
  url: string,
  { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/mcp${query}`, url), { requestInit: { headers } }),
  )
  t.teardown(() => client.close())
  return client
}

export interface Answer {
  text: string
  isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the data of any tool
  data: any
}

/** Calls a tool; the client checks the data against the tool's output schema. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult
  const [first] = result.content
  return {
    text: first?.type === 'text' ? first.text : '',
    isError: result.isError ?? false,
    data: result.structuredContent,
  }
}

export const mcpBin = join(import.meta.dirname, '..', '..', 'bin', 'mcp.js')

/** Connects the SDK's client to the built stdio server; its daemon stops with the test. */
export async function connectStdio(
  t: ExecutionContext,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  folder?: string,
  name = 'test',
  bin = mcpBin,
): Promise<Client> {
  const client = new Client({ name, version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      ...(folder !== undefined && { cwd: folder }),
      args: [bin, ...args],
      env: { ...definedOf(environmentOf(t)), ...env },
      stderr: 'ignore',
    }),
  )
  t.teardown(() => client.close())
  return client
}

/** Starts the built stdio server without a client; it is killed with the test. */
export function spawnStdio(
  t: ExecutionContext,
  env: Record<string, string> = {},
  command: readonly string[] = [mcpBin],
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, command, { env: { ...environmentOf(t), ...env } })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

/** The first messages of a client, one line each. */
export const greeting = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]
  .map(message => `${JSON.stringify(message)}\n`)
  .join('')

function definedOf(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
