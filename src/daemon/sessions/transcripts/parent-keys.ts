/** Keys of sub-agents: `agent:<id>:subagent:<id>`, `<key>:subagent:<id>` and similar. */
const subagent = /[:/]sub-?agents?[:/][^:/]+$/iu

/**
 * Returns the possible parent keys of a sub-agent's session from the harness's own form of its key, likeliest
 * first: `agent:main:subagent:1` runs in `agent:main:main` (rules.md 4.10 and 4.11).
 * @returns [] for any other key.
 */
export function parentKeysOf(sessionKey: string): string[] {
  const parent = sessionKey.replace(subagent, '')
  if (parent === sessionKey || parent === '') return []
  const agent = /^agent:([^:]+)$/u.exec(parent)
  return agent ? [`${parent}:main`, parent] : [parent]
}
