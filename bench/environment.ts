/** Variables that a process needs to find its programs and folders; the last three only on Windows. */
const needed = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE', 'TEMP'] as const

/**
 * Returns the environment of a measured process: the needed variables and those the benchmark sets. Other
 * variables would be measured too: NODE_EXTRA_CA_CERTS alone makes each start of Node two to three times as
 * slow, which makes every ratio to it look small.
 */
export function measuredEnvironment(set: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = needed.flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...set }
}

/** A note for the output of a suite. */
export const environmentNote =
  'Processes were started with only PATH, HOME and the SERVICE_* variables of the benchmark.'
