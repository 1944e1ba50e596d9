import { toolsOf } from '../../../mcp/tool-table.js'

export function toolsOfPlugin(id: string): string[] {
  return toolsOf('all')
    .filter(({ plugin }) => plugin === id)
    .map(({ name }) => name)
}
