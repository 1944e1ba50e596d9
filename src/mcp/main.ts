/**
 * MCP: the tools that coding agents call, as the program `service-mcp` and below `/mcp` of the daemon.
 *
 * `tools/` declares each tool with its schema and the endpoint that it calls; `server.ts` answers the
 * protocol, and `stdio.ts` carries it over stdin and stdout. A tool call comes in as JSON-RPC, becomes one
 * request to the HTTP API, and its reply goes out as text. It stores nothing and decides no permission: the
 * daemon does both. `src/daemon/platform/mcp` is its HTTP entrance.
 */

import { parseArgs } from 'node:util'
import { z } from 'zod'
import { keepFilesUsable } from '../lib/files/own-umask.js'
import { dropUnfilled } from './environment.js'
import { serveStdio } from './stdio.js'
import { type ToolSet, toolSets } from './tool-set.js'

const usage = `Usage: service-mcp [--tools core|all] [--resources] [--prompts] [--workspace DIR] [--agent ID]

Serves memory to an MCP client on stdin and stdout. See docs/mcp.md.`

/**
 * The stdio server as a program.
 * @returns its exit code: 0 when the client went, 2 for arguments that make no sense.
 */
export async function main(argv: readonly string[]): Promise<number> {
  keepFilesUsable()
  // What checks a few messages a session costs less than a function that is compiled for each of their schemas.
  z.config({ jitless: true })
  const options = readOptions(argv)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`)
    return options === usage ? 0 : 2
  }
  dropUnfilled(process.env)
  await serveStdio(options)
  return 0
}

function readOptions(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        tools: { type: 'string', default: 'all' },
        resources: { type: 'boolean' },
        prompts: { type: 'boolean' },
        workspace: { type: 'string' },
        agent: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const { help, tools, ...rest } = values
    if (help) return usage
    if (!isToolSet(tools)) return `--tools is '${tools}'; it takes ${toolSets.join(' or ')}\n\n${usage}`
    return { ...rest, tools }
  } catch (error) {
    return `${(error as Error).message}\n\n${usage}`
  }
}

function isToolSet(value: string): value is ToolSet {
  return (toolSets as readonly string[]).includes(value)
}
