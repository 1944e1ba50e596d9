/** By this name MCP tools introduce themselves to the daemon (mcp.md 4.9). */
export const mcpActor = 'mcp-server'
