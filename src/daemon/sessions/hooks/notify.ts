import { AppError } from '../../../contract/ground/errors.js'
import type { NotificationsBody, NotificationsReply } from '../../../contract/sessions/hooks.js'
import { quoted } from '../../../lib/text/clip.js'
import { noteSkillUse } from '../../ground/skills/note-skill-use.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type EnterDeps, enterHook } from '../tracker/enter-hook.js'
import { composeContext } from './compose-context.js'
import { peerSection, unreadMessages } from './peer-messages.js'

/**
 * Unread messages for a hook that has nothing else to say (rules.md 4.10); a skill that it names is counted.
 * @throws AppError `validation_failed` for a hook that the harness does not declare.
 */
export async function notify(
  deps: EnterDeps & Pick<Daemon, 'newId' | 'log'>,
  caller: Caller,
  body: NotificationsBody,
): Promise<NotificationsReply> {
  assertDeclared(body)
  const entry = await enterHook(deps, caller, body)
  if (entry.kind === 'no-op') return { inject: '', ...entry.flag }
  const { agentId, name } = entry.session
  if (body.skill) await noteSkillUse(deps, { agentId, skill: body.skill })
  const notifications = await unreadMessages(deps, caller, { agentId, sessionKey: name?.sessionKey })
  if (!notifications) return { inject: '' }
  const { text } = composeContext([peerSection(notifications)], Number.POSITIVE_INFINITY)
  return { inject: text, notifications }
}

function assertDeclared({ harness, hook }: NotificationsBody): void {
  const declared = Object.hasOwn(declaredHooks, harness) ? (declaredHooks[harness] ?? []) : []
  if (declared.includes(hook)) return
  const known =
    declared.length > 0 ? `it declares ${declared.join(', ')}` : 'it declares none and polls its inbox'
  throw new AppError(
    'validation_failed',
    `${quoted(harness)} does not declare the hook ${quoted(hook)} for notifications: ${known}`,
    [{ path: 'hook', message: 'is not declared by the harness' }],
  )
}

/** The hooks by which each harness takes notifications (rules.md 4.10); one that is not here polls its inbox. */
const declaredHooks: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'PreToolUse'],
  codex: ['SessionStart', 'UserPromptSubmit', 'PreToolUse'],
  kimi: ['SessionStart', 'UserPromptSubmit', 'SessionEnd'],
  opencode: [
    'chat.message',
    'tool.execute.before',
    'experimental.chat.system.transform',
    'experimental.chat.messages.transform',
  ],
  openclaw: ['message_received', 'before_tool_call', 'before_prompt_build', 'before_agent_start'],
  pi: ['context'],
  'oh-my-pi': ['before_agent_start'],
  'hermes-agent': ['on_turn_start', 'prefetch', 'sync_turn', 'on_delegation'],
}
