import { agentLine } from '../../lib/text/agent-lines.js'

/** What an agent did, line by line, of what it wrote; lines that say nothing to a person are left out. */
export function toldOutput(output: string): string {
  return output
    .split('\n')
    .map(agentLine)
    .filter(line => line !== undefined && line !== '')
    .join('\n')
}
