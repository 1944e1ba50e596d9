import type { HookCallback, HookEvent, HookInput, Options } from '@anthropic-ai/claude-agent-sdk'
import type { Memory } from 'memory-service-client'
import { type AdapterOptions, contextFor, warn } from './shared.js'

const harness = 'claude-agent-sdk'

/**
 * Returns hooks for the options of the Claude Agent SDK: a session starts with what is known of its project, each
 * prompt gets the memories that answer it, and what was said is kept when Claude stops.
 */
export function memoryHooks(memory: Memory, options: AdapterOptions = {}): NonNullable<Options['hooks']> {
  const { onError = warn, project, limit } = options
  const started = new Set<string>()

  async function contextOf(input: HookInput): Promise<string> {
    const { session_id: key, cwd } = input
    const texts: string[] = []
    if (!started.has(key)) {
      started.add(key)
      const reply = await memory.sessions.start(key, { harness, cwd, project })
      if ('inject' in reply) texts.push(reply.inject)
    }
    if (input.hook_event_name === 'UserPromptSubmit') {
      const reply = await memory.sessions.prompt(key, input.prompt, { harness, cwd, project })
      texts.push(
        reply.inject ||
          (await contextFor(memory, input.prompt, { project, limit, onError, sessionKey: key })),
      )
    }
    return texts.filter(Boolean).join('\n\n')
  }

  const give =
    (hookEventName: 'SessionStart' | 'UserPromptSubmit'): HookCallback =>
    async input => {
      try {
        const additionalContext = await contextOf(input)
        return additionalContext === '' ? {} : { hookSpecificOutput: { hookEventName, additionalContext } }
      } catch (error) {
        onError(error)
        return {}
      }
    }

  const keep: HookCallback = async ({ session_id: sessionKey, transcript_path: transcriptPath, cwd }) => {
    // The SDK has left before `SessionEnd`. An end is captured however short the session is.
    await memory.sessions.end(sessionKey, { harness, transcriptPath, cwd, project }).catch(onError)
    return {}
  }

  const hooks = {
    SessionStart: [{ hooks: [give('SessionStart')] }],
    UserPromptSubmit: [{ hooks: [give('UserPromptSubmit')] }],
    Stop: [{ hooks: [keep] }],
  } satisfies Partial<Record<HookEvent, unknown>>
  return hooks
}
