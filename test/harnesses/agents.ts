import type { CodingAgent } from './agent.js'
import { claudeCode } from './agents/claude-code.js'

/** Every agent that is run: a new one adds its file and its line here. */
export const agents: readonly CodingAgent[] = [claudeCode]
