/** How a key says that a sub-agent runs in the session: `agent:<id>:subagent:<id>`, `<key>:subagent:<id>` and such. */
const subagent = /[:/]sub-?agents?[:/][^:/]+$/iu

/**
 * The keys that the parent of a sub-agent's session may have, by the harness's own form of its key, likeliest first:
 * `agent:main:subagent:1` runs in `agent:main:main` (rules.md 4.10 and 4.11).
 * @returns nothing for a key that names no sub-agent.
 */
export function parentKeysOf(sessionKey: string): string[] {
  const parent = sessionKey.replace(subagent, '')
  if (parent === sessionKey || parent === '') return []
  const agent = /^agent:([^:]+)$/u.exec(parent)
  return agent ? [`${parent}:main`, parent] : [parent]
}
