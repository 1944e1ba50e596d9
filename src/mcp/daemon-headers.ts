import { mcpActor } from '../contract/mcp/actor.js'

/** How tools introduce themselves to the daemon (mcp.md 4.9). */
export const daemonHeaders: Readonly<Record<string, string>> = {
  'x-service-runtime-path': 'plugin',
  'x-service-actor': mcpActor,
  'x-service-actor-type': 'harness',
}

/** A tool's request to the daemon may take this long (mcp.md 8). */
export const toolTimeoutMs = 10_000
