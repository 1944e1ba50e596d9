/** What a process needs to find its programs and folders; the last three on Windows alone. */
const needed = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE', 'TEMP'] as const

/**
 * The environment of a process that is measured: what it needs, and what the benchmark sets. Anything else that happens
 * to be set here would be measured too: NODE_EXTRA_CA_CERTS alone makes every start of Node take two to three times as
 * long, and so any ratio to it look small.
 */
export function measuredEnvironment(set: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = needed.flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...set }
}

/** For the output of a suite. */
export const environmentNote =
  'Processes were started with PATH, HOME and the SERVICE_* of the benchmark alone.'
