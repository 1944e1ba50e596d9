/** A program with its arguments, run without a shell. */
export interface Command {
  words: readonly [program: string, ...args: string[]]
  /** A failure only means that there was nothing to do. */
  mayFail?: boolean
  timeoutMs?: number
}

/** A supervisor waits until the daemon has stopped, which takes at most 15 s. */
const usualTimeoutMs = 30_000

/** @returns the output, preferably of stderr; empty if the program is missing. */
export async function runCommand({
  words: [program, ...args],
  timeoutMs = usualTimeoutMs,
}: Command): Promise<{
  ok: boolean
  output: string
}> {
  const { execa } = await import('execa')
  const { exitCode, stdout, stderr } = await execa(program, args, {
    reject: false,
    timeout: timeoutMs,
    stdin: 'ignore',
    windowsHide: true,
  })
  return { ok: exitCode === 0, output: (stderr || stdout || '').trim() }
}
