import type { CodingAgent } from './agent.js'
import { claudeCode } from './agents/claude-code.js'
import { codex } from './agents/codex.js'
import { copilot } from './agents/copilot.js'
import { gemini } from './agents/gemini.js'
import { opencode } from './agents/opencode.js'

/** Every agent to run; a new one adds its file and its line here. */
export const agents: readonly CodingAgent[] = [claudeCode, codex, gemini, opencode, copilot]
