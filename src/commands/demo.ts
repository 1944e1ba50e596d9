import { Flags } from '@oclif/core'
import { type DemoDeps, type DemoResult, fillDemo, runDemo, withDemoWorkspace } from '../cli/memory/demo.js'
import { CliCommand } from '../cli/shell/cli-command.js'
import { CliError } from '../cli/shell/cli-error.js'
import {
  type Colors,
  colorsFor,
  outputWidth,
  print,
  terminalWidth,
  wrapStyled,
} from '../cli/terminal/output.js'
import { startSpinner } from '../cli/terminal/progress.js'
import { call } from '../client/call.js'

export default class Demo extends CliCommand {
  static override summary = 'See memory in action in ten seconds, in a temporary workspace.'
  static override description =
    'Starts a separate daemon on a free port, saves ten memories, asks three questions in different words, ' +
    'forgets an answer and recovers it. Your own workspace and daemon are not touched and nothing is ' +
    'downloaded. With --keep, the workspace is kept and also gets a session, notes, a task and other data ' +
    'for the web page.'
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --keep']
  static override flags = {
    keep: Flags.boolean({ summary: 'Keep the workspace to explore it on the web page.' }),
  }

  async run(): Promise<DemoResult> {
    const { keep } = (await this.parse(Demo)).flags
    const colors = colorsFor()
    const say = (line: string) => {
      const width = terminalWidth()
      if (!this.jsonEnabled()) print(width === undefined ? line : wrapStyled(line, width))
    }
    const result = await withDemoWorkspace({ keep }, async ({ root }, signal) => {
      const kind = keep ? 'new workspace' : 'temporary workspace'
      say(colors.dim(`Using a ${kind} (${root}) and a separate daemon; your own workspace is not touched.`))
      return showDemo({ say, colors, root, signal, keep }).catch((error: unknown) => {
        if (!signal.aborted) throw error
        throw new CliError('the demo was cancelled; its daemon was stopped and its workspace deleted', {
          code: 'cancelled',
          exit: 'cancelled',
        })
      })
    })
    for (const line of result.workspace
      ? keptWorkspaceLines(result.workspace, colors)
      : nextStepLines(colors))
      say(line)
    return result
  }
}

interface DemoView {
  say: (line: string) => void
  colors: Colors
  root: string
  signal: AbortSignal
  keep: boolean
}

async function showDemo({ say, colors, root, signal, keep }: DemoView): Promise<DemoResult> {
  const spinner = startSpinner('starting the daemon')
  try {
    const deps: DemoDeps = {
      call: async (address, request) => {
        const reply = await call(address, request, { workspace: root, onWait: spinner.say })
        spinner.stop()
        return reply
      },
      say,
      colors,
      width: Math.min(outputWidth(), 100),
      now: () => performance.now(),
      signal,
    }
    const result = await runDemo(deps)
    if (!keep) return result
    await fillDemo(deps, root)
    return { ...result, workspace: root }
  } finally {
    spinner.stop()
  }
}

function nextStepLines(colors: Colors): string[] {
  return [
    '',
    colors.dim('The demo daemon was stopped and its workspace deleted.'),
    '',
    colors.bold('Try it yourself'),
    '   memory setup',
    '   memory remember "We deploy on Tuesdays" --tags release',
    '   memory recall when do we deploy',
    '   memory health',
  ]
}

function keptWorkspaceLines(root: string, colors: Colors): string[] {
  return [
    '',
    colors.bold('Explore it'),
    `   memory ui --workspace ${root}`,
    colors.dim('Its daemon starts on demand. To clean up:'),
    `   memory daemon stop --workspace ${root}`,
    `   rm -r ${root}`,
  ]
}
