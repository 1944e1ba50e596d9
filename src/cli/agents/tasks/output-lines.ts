import { agentLine } from '../../../lib/text/agent-lines.js'
import { plainLines } from '../../terminal/text.js'

export interface OutputLines {
  write(text: string): void
  /** What has no end of line. */
  end(): void
}

/**
 * Prints the output of a run as it comes.
 * @param told true tells a person what the agent did, line by line; false prints what it wrote, as it is.
 */
export function createOutputLines({ told, out }: { told: boolean; out(text: string): void }): OutputLines {
  if (!told) return { write: out, end: () => undefined }
  let rest = ''
  const tell = (line: string): void => {
    const text = agentLine(line)
    if (text !== undefined) out(`${plainLines(text)}\n`)
  }
  return {
    write: text => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) tell(line)
    },
    end: () => {
      if (rest !== '') tell(rest)
      rest = ''
    },
  }
}
