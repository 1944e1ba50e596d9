import type { Tool } from './tool/tool.js'
import type { ToolSet } from './tool-set.js'
import { messageTools } from './tools/agents/messages.js'
import { codeTools } from './tools/knowledge/code.js'
import { ontologyTools } from './tools/knowledge/ontology.js'
import { sourceTools } from './tools/knowledge/sources.js'
import { memoryTools } from './tools/memory/memory.js'
import { secretTools } from './tools/secrets/secrets.js'
import { bypassTools } from './tools/sessions/session-bypass.js'
import { sessionTools } from './tools/sessions/sessions.js'

/** Every tool of this server; each area adds its table here. */
const tools: readonly Tool[] = [
  ...memoryTools,
  ...sessionTools,
  ...bypassTools,
  ...messageTools,
  ...secretTools,
  ...sourceTools,
  ...ontologyTools,
  ...codeTools,
]

export function toolsOf(set: ToolSet): readonly Tool[] {
  return set === 'all' ? tools : tools.filter(({ tier }) => tier === 'core')
}
