/** A program with its arguments; no shell reads them. */
export interface Command {
  words: readonly [program: string, ...args: string[]]
  /** Its failure means that there was nothing to do. */
  mayFail?: boolean
  timeoutMs?: number
}

/** A supervisor starts and stops daemons, whose stop takes 15 s at most. */
const usualTimeoutMs = 30_000

/** @returns what it printed, of the errors where there are any; a program that is missing has said nothing. */
export async function runCommand({
  words: [program, ...args],
  timeoutMs = usualTimeoutMs,
}: Command): Promise<{
  ok: boolean
  said: string
}> {
  const { execa } = await import('execa')
  const { exitCode, stdout, stderr } = await execa(program, args, {
    reject: false,
    timeout: timeoutMs,
    stdin: 'ignore',
  })
  return { ok: exitCode === 0, said: (stderr || stdout || '').trim() }
}
