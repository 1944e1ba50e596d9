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
import { deleteUnresolved, serveStdio } from './stdio.js'
import { type ToolSet, toolSets } from './tool-set.js'

const usage = `Usage: service-mcp [--tools core|standard|all] [--resources] [--prompts] [--workspace DIR] [--agent ID] [--plugin AGENT]

Serves memory to an MCP client over stdin and stdout. See docs/mcp.md.`

/**
 * Runs the stdio server as a program.
 * @returns its exit code: 0 after the client has gone, 2 for invalid arguments.
 */
export async function main(argv: readonly string[]): Promise<number> {
  keepFilesUsable()
  // A session checks only a few messages, so compiling their schemas would cost more than it saves.
  z.config({ jitless: true })
  const options = readOptions(argv)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`)
    return options === usage ? 0 : 2
  }
  deleteUnresolved(process.env)
  await serveStdio(options)
  return 0
}

function readOptions(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        tools: { type: 'string' },
        resources: { type: 'boolean' },
        prompts: { type: 'boolean' },
        workspace: { type: 'string' },
        agent: { type: 'string' },
        plugin: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const { help, tools, ...rest } = values
    if (help) return usage
    if (tools === undefined) return rest
    if (!isToolSet(tools)) return `--tools must be ${toolSets.join(' or ')}, not '${tools}'\n\n${usage}`
    return { ...rest, tools }
  } catch (error) {
    return `${(error as Error).message}\n\n${usage}`
  }
}

function isToolSet(value: string): value is ToolSet {
  return (toolSets as readonly string[]).includes(value)
}
