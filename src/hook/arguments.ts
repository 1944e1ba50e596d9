import {
  type DialectHarness,
  dialectHarnesses,
  findHarnessHook,
  type HarnessHook,
  harnessHooks,
  isDialectHarness,
} from '../contract/sessions/harness-names.js'

export interface HookArguments {
  hook: HarnessHook
  harness: DialectHarness
  /** Time limit of the whole process. */
  timeoutMs: number
  workspace?: string | undefined
  agent?: string | undefined
  /** Called by our plug-in in the harness, not by an entry of `memory connect`. */
  isOfPlugin: boolean
}

export const usage = `usage: memory hook NAME -H HARNESS [--timeout MS] [--workspace DIR] [--agent ID] [--plugin]
  names: ${harnessHooks.join(', ')}, checkpoint, tool-use
  harnesses: ${dialectHarnesses.join(', ')}`

/** A session start may wait until the daemon has started; a prompt must not be delayed noticeably. */
const sessionStartMs = 3000
const defaultMs = 1000
const maxMs = 600_000

const options: Readonly<Record<string, 'harness' | 'timeout' | 'workspace' | 'agent'>> = {
  '-H': 'harness',
  '--harness': 'harness',
  '--timeout': 'timeout',
  '--workspace': 'workspace',
  '--agent': 'agent',
}

/**
 * Parses the arguments of `memory hook` by hand, because a parser would cost more than the hook.
 * @returns a sentence about the fault if they are invalid.
 */
export function readArguments(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): HookArguments | string {
  const given: { [option in (typeof options)[string]]?: string } = {}
  const names: string[] = []
  let isOfPlugin = false
  const words = argv.flatMap(word => /^(--[a-z]+)=([\s\S]*)$/u.exec(word)?.slice(1) ?? [word])
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const option = options[word]
    if (option) {
      const value = words[++at]
      if (!value) return `${word} needs a value`
      given[option] = value
    } else if (word === '--plugin') isOfPlugin = true
    else if (word.startsWith('-')) return `unknown flag '${word}'`
    else names.push(word)
  }
  const [name = '', ...more] = names
  const hook = findHarnessHook(name)
  if (!hook || more.length > 0)
    return name ? `unknown hook '${names.join(' ')}'` : 'the name of the hook is missing'
  const { harness = '', timeout, workspace, agent } = given
  if (!isDialectHarness(harness)) return harness ? `unknown harness '${harness}'` : 'the harness is missing'
  const timeoutMs = timeoutOf(hook, timeout, environment)
  if (timeoutMs === undefined) return `--timeout must be 1 to ${maxMs} milliseconds`
  return { hook, harness, timeoutMs, workspace, agent, isOfPlugin }
}

/**
 * The environment takes precedence for prompt submit (rules.md 4.12); a value that is not a number is
 * ignored.
 */
function timeoutOf(
  hook: HarnessHook,
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): number | undefined {
  const set =
    hook === 'user-prompt-submit' ? milliseconds(environment.SERVICE_PROMPT_SUBMIT_TIMEOUT) : undefined
  if (set !== undefined) return set
  if (flag !== undefined) return milliseconds(flag)
  return hook === 'session-start' ? sessionStartMs : defaultMs
}

function milliseconds(text = ''): number | undefined {
  const value = /^\d{1,6}$/u.test(text) ? Number(text) : 0
  return value >= 1 && value <= maxMs ? value : undefined
}
