/** The actor name of MCP tools in requests to the daemon (mcp.md 4.9). */
export const mcpActor = 'mcp-server'
