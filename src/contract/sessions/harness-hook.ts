import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** Lone surrogates and NUL cannot be stored; they are removed rather than refusing the session. */
const text = z
  .string()
  .transform(value => value.toWellFormed().replaceAll('\0', ''))
  .optional()
  .catch(undefined)
const key = z.string().trim().min(1).max(255)
const path = text.transform(value => (value && value.length <= 4096 ? value : undefined))
const source = z.string().max(255).optional().catch(undefined)
const count = z.int().min(0).optional().catch(undefined)
/** Input of Claude Code's tool that loads a skill; older releases call it `command`. */
const skillInput = z.object({ skill: text, command: text }).optional().catch(undefined)

/** Input of the programs that call hooks as Claude Code does; a field of a wrong type counts as absent. */
export const snakeCaseInput = z.object({
  session_id: key,
  hook_event_name: text,
  prompt_id: text,
  transcript_path: path,
  cwd: path,
  agent_id: text,
  prompt: text,
  prompt_response: text,
  last_assistant_message: text,
  compact_summary: text,
  trigger: text,
  reason: text,
  source,
  tool_name: text,
  tool_input: skillInput,
})

export const cursorInput = z.object({
  conversation_id: key,
  generation_id: text,
  loop_count: count,
  hook_event_name: text,
  transcript_path: path,
  workspace_roots: z.array(path).optional().catch(undefined),
  prompt: text,
  message_count: count,
  reason: text,
})

const moment = z
  .union([z.number(), z.string()])
  .transform(value => new Date(value).getTime())
  .refine(value => !Number.isNaN(value))
  .optional()
  .catch(undefined)

/** Input of GitHub Copilot CLI; a sub-agent's own session id is its agent id. */
export const copilotInput = z.object({
  sessionId: key,
  timestamp: moment,
  transcriptPath: path,
  cwd: path,
  agentId: text,
  prompt: text,
  reason: text,
  source,
})

/**
 * The same for hooks named in PascalCase, such as those of Claude Code in a repository, which Copilot runs
 * too.
 */
export const copilotPascalInput = snakeCaseInput.extend({ timestamp: moment })

/**
 * Input of VS Code and Grok Build, which also run hooks installed for others; all hooks of an event get the
 * same time.
 */
export const hookEventInput = z.object({
  hookEventName: z.string(),
  sessionId: key,
  timestamp: text,
  transcript_path: path,
  transcriptPath: path,
  cwd: path,
  agent_id: text,
  prompt: text,
  lastAssistantMessage: text,
  trigger: text,
  reason: text,
  source,
})

/** Input of Qwen Code, which reports results of tools as prompts too. */
export const qwenInput = snakeCaseInput.extend({ submitted_prompt: text })

/** Input of Kimi Code, whose prompt may consist of parts. */
export const kimiInput = snakeCaseInput.extend({
  prompt: z
    .union([
      z.string(),
      z
        .array(z.object({ text: z.string().optional() }))
        .transform(parts => parts.flatMap(part => part.text ?? []).join('\n')),
    ])
    .transform(value => value.toWellFormed().replaceAll('\0', ''))
    .optional()
    .catch(undefined),
})

/** Input of Antigravity; its prompts are only in the transcript. */
export const antigravityInput = z.object({
  conversationId: key,
  transcriptPath: path,
  workspacePaths: z.array(path).optional().catch(undefined),
  invocationNum: count,
  fullyIdle: z.boolean().optional().catch(undefined),
})

/** Input of Hermes Agent and of our plugin for OpenClaw: the event of an answer has the conversation. */
export const passedInput = z.object({
  session_id: key,
  hook_event_name: text,
  cwd: path,
  source,
  extra: z
    .object({
      user_message: text,
      assistant_response: text,
      conversation_history: z.array(z.unknown()).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

/** Input of Cline's file hooks. */
export const clineInput = z.object({
  sessionContext: z.object({ rootSessionId: key }),
  hookName: text,
  workspaceRoots: z.array(path).optional().catch(undefined),
  agent_id: text,
  parent_agent_id: text,
  turn: z.object({ outputText: text }).optional().catch(undefined),
})

/** The fields used from replies of the API's own hooks (rules.md 4.10). */
export const hookReply = z.object({
  bypassed: z.boolean().optional().catch(undefined),
  inject: z.string().optional().catch(undefined),
  clockContext: z.string().optional().catch(undefined),
  summaryPrompt: z.string().optional().catch(undefined),
  guidelines: z.string().optional().catch(undefined),
})
export type HookReply = z.infer<typeof hookReply>

/** A hook call that `memory hook` saved in the spool because no daemon was reachable. */
export const spooledHook = z.object({
  harness: z.string(),
  hook: z.string(),
  time: z.iso.datetime(),
  /** Unchanged input of the harness. */
  input: z.string(),
  /** The agent given by the caller. */
  agent: z.string().optional(),
  /** The caller without its secret: the hash of an API key, or the claims of a token. */
  credential: z.string().optional(),
  /** It came from another machine or through a proxy, so no local file is read for it. */
  elsewhere: z.boolean().optional(),
})
export type SpooledHook = z.infer<typeof spooledHook>

export const harnessHook = endpoint({
  method: 'POST',
  path: '/api/hooks/harness/:harness/:hook',
  summary: "Call a hook in a coding agent's own JSON format; the reply is empty if the agent supports none",
  permission: 'authenticated',
  mutates: false,
  params: z.object({ harness: z.string(), hook: z.string() }),
  body: z.unknown(),
  response: z.string(),
})
