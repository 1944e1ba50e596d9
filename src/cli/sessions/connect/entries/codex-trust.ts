import { createHash } from 'node:crypto'
import { isRecord } from '../../../../lib/text/json-of.js'
import type { ConnectionEdit } from './harness.js'
import { findHooks, type WantedHook } from './hook-entries.js'
import { MergeFault } from './merge-fault.js'
import { isOwnHook } from './own-entries.js'
import { blockOf, isSame, readToml, withoutBlock } from './toml-tables.js'

type Fields = Record<string, unknown>

/** A hook of ours with its identity in Codex. */
interface KnownHook {
  /** Suffix of the key in `[hooks.state]`, after the file's path. */
  place: string
  hash: string
}

/** The user's decision about one hook, in `[hooks.state]` of config.toml. */
interface HookState {
  trusted_hash?: unknown
  enabled?: unknown
}

/** Counts of our hooks that Codex skips, by reason. */
export interface IdleHooks {
  all: number
  /** Not trusted yet. */
  untrusted: number
  /** Changed since they were trusted. */
  changed: number
  /** Disabled by the user. */
  disabled: number
}

/**
 * Counts hooks that Codex skips: it runs only hooks whose exact definition the user trusted, and does not
 * report others.
 * @param files paths of hooks.json in every spelling that Codex may use.
 */
export function idleHooks(
  files: readonly string[],
  hooks: string,
  config: string,
  platform: NodeJS.Platform,
): IdleHooks {
  const known = hooksIn(hooks, platform)
  const states = statesIn(config)
  const stateOf = ({ place }: KnownHook) =>
    files.map(file => states[`${file}:${place}`]).find(state => state !== undefined)
  const count = (isSo: (state: HookState | undefined, hook: KnownHook) => boolean) =>
    known.filter(hook => isSo(stateOf(hook), hook)).length
  return {
    all: known.length,
    untrusted: count(state => state?.trusted_hash === undefined),
    changed: count((state, { hash }) => state?.trusted_hash !== undefined && state.trusted_hash !== hash),
    disabled: count(state => state?.enabled === false),
  }
}

/**
 * Removes the user's decisions about our hooks on request, since Codex keeps them permanently.
 * @param options.wanted our installed hooks, which identify decisions about hooks that are already removed.
 */
export function trustEdit(options: {
  file: string
  hooksFiles: readonly string[]
  wanted: readonly WantedHook[]
  forgetTrust: boolean
  readHooks: () => string
  platform: NodeJS.Platform
}): ConnectionEdit {
  const { file, hooksFiles, wanted, forgetTrust, readHooks, platform } = options
  return {
    kind: 'trust',
    file,
    add: text => text,
    remove: (text, original) => {
      if (!forgetTrust) return text
      const places = hooksIn(readHooks(), platform).map(({ place }) => place)
      const hashes = new Set<unknown>(
        wanted.map(({ event, matcher, handler }) => hashOf(event, matcher, handler, platform)),
      )
      const states = Object.entries(statesIn(text)).filter(([key, { trusted_hash }]) =>
        hooksFiles.some(
          path =>
            key.startsWith(`${path}:`) &&
            (places.includes(key.slice(path.length + 1)) || hashes.has(trusted_hash)),
        ),
      )
      const shorter = states.reduce((current, [key]) => withoutTable(current, ['hooks', 'state', key]), text)
      const isEmpty = states.length > 0 && Object.keys(statesIn(shorter)).length === 0
      const wasThere = original !== undefined && blockOf(original, ['hooks', 'state']) !== undefined
      return isEmpty && !wasThere ? withoutTable(shorter, ['hooks', 'state']) : shorter
    },
  }
}

/**
 * Leaves a text unchanged if it is not written as a table, or if removing the table would change the meaning
 * of the rest.
 */
function withoutTable(text: string, path: readonly string[]): string {
  const block = blockOf(text, path)
  if (!block) return text
  const { before, behind } = withoutBlock(text, block)
  const shorter = before + behind
  return isSame(pruned(readToml(shorter)), pruned(without(readToml(text), path))) ? shorter : text
}

function without(value: Fields, [key = '', ...rest]: readonly string[]): Fields {
  const { [key]: inner, ...others } = value
  return rest.length === 0 ? others : { ...others, [key]: without((inner ?? {}) as Fields, rest) }
}

/** Removes empty tables, which a header may name or not. */
function pruned(value: Fields): Fields {
  const kept = Object.entries(value).map(([key, item]) => [key, isTable(item) ? pruned(item) : item] as const)
  return Object.fromEntries(kept.filter(([, item]) => !isTable(item) || Object.keys(item).length > 0))
}

function isTable(value: unknown): value is Fields {
  return isRecord(value) && !(value instanceof Date)
}

/** Events with a matcher; Codex ignores the matcher of all others. */
const matched = new Set(['SessionStart', 'PreToolUse', 'PreCompact', 'PostCompact'])
const defaultTimeout = 600
const longestEnd = 3

/** Returns our hooks in hooks.json; empty if it does not parse. */
function hooksIn(text: string, platform: NodeJS.Platform): KnownHook[] {
  try {
    return findHooks(text, 'grouped', handler => isOwnHook(handler, 'codex')).map(
      ({ event, path, handler, group }) => ({
        place: [eventKey(event), path[2], path[4]].join(':'),
        hash: hashOf(event, group?.matcher, handler, platform),
      }),
    )
  } catch (error) {
    if (error instanceof MergeFault) return []
    throw error
  }
}

function statesIn(config: string): Record<string, HookState> {
  try {
    const { hooks } = readToml(config) as { hooks?: { state?: Record<string, HookState> } }
    return hooks?.state ?? {}
  } catch (error) {
    if (error instanceof MergeFault) return {}
    throw error
  }
}

/**
 * Computes the hash like Codex 0.169: over the relevant settings of a hook, with defaults filled in and keys
 * sorted. On Windows `commandWindows` replaces the command.
 */
function hashOf(event: string, matcher: unknown, handler: Fields, platform: NodeJS.Platform): string {
  const command = (platform === 'win32' && handler.commandWindows) || handler.command
  const { timeout, async: isAsync = false, statusMessage, additionalContextLimit } = handler
  const seconds = Math.max(1, typeof timeout === 'number' ? timeout : defaultTimeout)
  const identity = {
    event_name: eventKey(event),
    hooks: [
      {
        ...(additionalContextLimit !== undefined && { additionalContextLimit }),
        async: isAsync,
        command,
        ...(statusMessage !== undefined && { statusMessage }),
        timeout: event === 'SessionEnd' ? Math.min(seconds, longestEnd) : seconds,
        type: 'command',
      },
    ],
    ...(matched.has(event) && typeof matcher === 'string' && { matcher }),
  }
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`
}

/** Converts `PreToolUse` to `pre_tool_use`. */
function eventKey(event: string): string {
  return event.replace(/(?<!^)[A-Z]/gu, letter => `_${letter}`).toLowerCase()
}
