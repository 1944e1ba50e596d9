import { toolsOf } from '../../../mcp/tool-table.js'

/** Names of the MCP tools that belong to a plugin. */
export function toolsOfPlugin(id: string): string[] {
  return toolsOf('all')
    .filter(({ plugin }) => plugin === id)
    .map(({ name }) => name)
}
