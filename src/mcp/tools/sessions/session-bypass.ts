import * as contract from '../../../contract/mcp/tools.js'
import { label } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'

const sessionBypass = tool({
  name: 'session_bypass',
  title: 'Pause hooks',
  description: 'Stop (enabled true) or resume (false) the hooks of one session. Only if the user asks.',
  tier: 'extra',
  effect: 'adds',
  input: contract.sessionBypassInput,
  output: contract.sessionBypassOutput,
  remedies: {
    not_found: 'No session has that key: use the key in the session context, or ask the user.',
  },
  run: async (call, { session_key, enabled }) => {
    const { key, bypassed } = await call('POST /api/sessions/:key/bypass', {
      params: { key: session_key },
      body: { enabled },
    })
    const text = bypassed
      ? `The hooks of session ${label(key)} are paused.`
      : `The hooks of session ${label(key)} are active again.`
    return { text, data: { key, bypassed } }
  },
})

/** The hook bypass tool (mcp.md 4.9). */
export const bypassTools: readonly Tool[] = [sessionBypass]
