import type { CodingAgent } from './agent.js'
import { claudeCode } from './agents/claude-code.js'
import { cline } from './agents/cline.js'
import { codex } from './agents/codex.js'
import { copilot } from './agents/copilot.js'
import { gemini } from './agents/gemini.js'
import { grok } from './agents/grok.js'
import { hermesAgent } from './agents/hermes-agent.js'
import { kilo } from './agents/kilo.js'
import { kimi } from './agents/kimi.js'
import { openclaw } from './agents/openclaw.js'
import { opencode } from './agents/opencode.js'
import { pi } from './agents/pi.js'
import { qwen } from './agents/qwen.js'

/** Every agent to run; a new one adds its file and its line here. */
export const agents: readonly CodingAgent[] = [
  claudeCode,
  codex,
  gemini,
  opencode,
  copilot,
  qwen,
  kimi,
  pi,
  hermesAgent,
  openclaw,
  kilo,
  cline,
  grok,
]
