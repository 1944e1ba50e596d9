import type { Tool } from './tool/tool.js'
import type { ToolSet } from './tool-set.js'
import { messageTools } from './tools/agents/messages.js'
import { codeTools } from './tools/knowledge/code.js'
import { ontologyTools } from './tools/knowledge/ontology.js'
import { sourceTools } from './tools/knowledge/sources.js'
import { memoryTools } from './tools/memory/memory.js'
import { secretTools } from './tools/secrets/secrets.js'
import { sessionTools } from './tools/sessions/sessions.js'

/** Every tool of this server; each area adds its table here. */
const tools: readonly Tool[] = [
  ...memoryTools,
  ...sessionTools,
  ...messageTools,
  ...secretTools,
  ...sourceTools,
  ...ontologyTools,
  ...codeTools,
]

const tiers: Readonly<Record<ToolSet, readonly Tool['tier'][]>> = {
  core: ['core'],
  standard: ['core', 'extra'],
  all: ['core', 'extra', 'rare'],
}

/** Returns the tools that a set lists. */
export function toolsOf(set: ToolSet): readonly Tool[] {
  return tools.filter(({ tier }) => tiers[set].includes(tier))
}

/** Returns the tools that a set answers; the standard set answers rare ones without listing them. */
export function answeredTools(set: ToolSet): readonly Tool[] {
  return toolsOf(set === 'standard' ? 'all' : set)
}
