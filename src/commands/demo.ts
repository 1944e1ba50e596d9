import { CliCommand } from '../cli/cli-command.js'
import { CliError } from '../cli/cli-error.js'
import { type DemoResult, runDemo } from '../cli/memory/demo.js'
import { withThrowawayWorkspace } from '../cli/memory/demo-workspace.js'
import { type Colors, colorsFor, outputWidth, print } from '../cli/output.js'
import { startSpinner } from '../cli/spinner.js'
import { call } from '../client/call.js'

const callTimeoutMs = 10_000

export default class Demo extends CliCommand {
  static override summary = 'See it work in ten seconds, in a workspace that is deleted afterwards.'
  static override description =
    'Starts a daemon of its own on a free port, saves ten memories, asks three questions in other words, forgets ' +
    'an answer and recovers it. Your own workspace and daemon are not touched and nothing is downloaded.'
  static override examples = ['<%= config.bin %> demo']

  async run(): Promise<DemoResult> {
    await this.parse(Demo)
    const colors = colorsFor()
    const say = (line: string) => {
      if (!this.jsonEnabled()) print(line)
    }
    const result = await withThrowawayWorkspace(async ({ root }, signal) => {
      say(colors.dim(`A throwaway workspace, ${root}, and a daemon of its own: nothing of yours is touched.`))
      return showDemo({ say, colors, root, signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error
        throw new CliError('the demo was cancelled; its daemon is stopped and its workspace deleted', {
          code: 'cancelled',
          exit: 'cancelled',
        })
      })
    })
    for (const line of goOn(colors)) say(line)
    return result
  }
}

interface Show {
  say: (line: string) => void
  colors: Colors
  root: string
  signal: AbortSignal
}

async function showDemo({ say, colors, root, signal }: Show): Promise<DemoResult> {
  const spinner = startSpinner('starting the daemon')
  try {
    return await runDemo({
      call: async (address, request) => {
        const reply = await call(address, request, {
          workspace: root,
          timeoutMs: callTimeoutMs,
          onWait: spinner.say,
        })
        spinner.stop()
        return reply
      },
      say,
      colors,
      width: Math.min(outputWidth(), 100),
      now: () => performance.now(),
      signal,
    })
  } finally {
    spinner.stop()
  }
}

function goOn(colors: Colors): string[] {
  return [
    '',
    colors.dim('The daemon is stopped and the workspace deleted.'),
    '',
    colors.bold('Go on'),
    '   npm install -g .',
    '   memory remember "We deploy on Tuesdays" --tags release',
    '   memory recall when do we deploy',
    '   memory doctor',
  ]
}
