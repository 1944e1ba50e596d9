import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ExecutionContext } from 'ava'

/** The SDK's own client on `/mcp` of a daemon; it is closed with the test. */
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
