/** Harnesses whose hooks speak a language of their own; the others post the bodies of the API. Loads no schema. */
export const dialectHarnesses = ['claude-code', 'codex', 'gemini', 'cursor', 'copilot'] as const
export type DialectHarness = (typeof dialectHarnesses)[number]

/** Harnesses with a plugin that leaves what it cannot hand over in the spool: bodies of the API, as it posts them. */
export const pluginHarnesses: ReadonlySet<string> = new Set(['opencode'])

/** Hooks that a harness can call in its own words: the last part of `/api/hooks/...` (rules.md 4.10). */
export const harnessHooks = [
  'session-start',
  'user-prompt-submit',
  'session-end',
  'pre-compaction',
  'compaction-complete',
  'session-checkpoint-extract',
  'notifications',
] as const
export type HarnessHook = (typeof harnessHooks)[number]

/** Hooks that report what happens once and is worth keeping until a daemon hears of it. */
export const durableHooks: ReadonlySet<HarnessHook> = new Set([
  'session-end',
  'compaction-complete',
  'session-checkpoint-extract',
])

const aliases: Readonly<Record<string, HarnessHook>> = { checkpoint: 'session-checkpoint-extract' }

/** @returns undefined for a name that no hook has. */
export function harnessHookNamed(name: string): HarnessHook | undefined {
  return harnessHooks.find(hook => hook === name) ?? aliases[name]
}

export function isDialectHarness(name: string): name is DialectHarness {
  return (dialectHarnesses as readonly string[]).includes(name)
}

/** Header of a reply: why a harness is told nothing, for people. */
export const hookNoteHeader = 'x-service-hook-note'

/** Longest input of a hook, in bytes: what the daemon takes as one body. */
export const maxHookInputBytes = 10 * 1024 * 1024
