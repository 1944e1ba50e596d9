/** Harnesses with their own hook formats; the others post the bodies of the API. Loads no schema. */
export const dialectHarnesses = [
  'claude-code',
  'codex',
  'gemini',
  'cursor',
  'copilot',
  'vscode',
  'grok',
  'devin',
  'qwen',
  'droid',
  'junie',
  'kiro',
  'antigravity',
  'kimi',
  'pi',
  'oh-my-pi',
  'hermes-agent',
  'openclaw',
  'cline',
] as const
export type DialectHarness = (typeof dialectHarnesses)[number]

/** Harnesses whose texts can be previewed: those that `memory connect` knows. */
export const previewHarnesses = [...dialectHarnesses, 'opencode', 'kilo'] as const
export type PreviewHarness = (typeof previewHarnesses)[number]

/** Moments at which an agent is given a text. */
export const previewEvents = ['start', 'prompt', 'subagent'] as const
export type PreviewEvent = (typeof previewEvents)[number]

/** Harnesses whose plugin writes undelivered calls to the spool, as bodies of the API. */
export const pluginHarnesses: ReadonlySet<string> = new Set(['opencode', 'kilo'])

/** Harnesses that call `memory hook tool-use` after a tool. */
export const toolHookHarnesses: ReadonlySet<string> = new Set([
  'claude-code',
  'codex',
  'gemini',
  'cursor',
  'copilot',
  'vscode',
  'devin',
  'qwen',
  'droid',
  'kimi',
  'pi',
  'oh-my-pi',
  'hermes-agent',
  'openclaw',
  'opencode',
  'kilo',
])

/** Those that report a failed use by an event of its own, so that the usual one says that it went well. */
export const failureEventHarnesses: ReadonlySet<string> = new Set([
  'claude-code',
  'cursor',
  'copilot',
  'qwen',
  'kimi',
])

/** Hooks that a harness can call in its own format: the last part of `/api/hooks/...` (rules.md 4.10). */
export const harnessHooks = [
  'session-start',
  'user-prompt-submit',
  'session-end',
  'pre-compaction',
  'compaction-complete',
  'session-checkpoint-extract',
  'notifications',
  'subagent-start',
] as const
export type HarnessHook = (typeof harnessHooks)[number]

/** Hooks that report unique events, which are kept until a daemon can process them. */
export const durableHooks: ReadonlySet<HarnessHook> = new Set([
  'session-end',
  'compaction-complete',
  'session-checkpoint-extract',
])

const aliases: Readonly<Record<string, HarnessHook>> = { checkpoint: 'session-checkpoint-extract' }

/** @returns undefined for an unknown name. */
export function findHarnessHook(name: string): HarnessHook | undefined {
  return harnessHooks.find(hook => hook === name) ?? aliases[name]
}

export function isDialectHarness(name: string): name is DialectHarness {
  return (dialectHarnesses as readonly string[]).includes(name)
}

/** Reply header with the reason, for users, why a harness gets no context. */
export const hookNoteHeader = 'x-service-hook-note'

/** Longest input of a hook in bytes, which is the daemon's body limit. */
export const maxHookInputBytes = 10 * 1024 * 1024
