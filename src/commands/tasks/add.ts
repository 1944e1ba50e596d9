import { Args, Flags } from '@oclif/core'
import { fillIn } from '../../cli/agents/fill-in-task.js'
import { harnessOf, missingNote, startedBy } from '../../cli/agents/tasks/harness-program.js'
import { openSchedules } from '../../cli/agents/tasks/schedule-text.js'
import { fieldsOf, taskFlags } from '../../cli/agents/tasks/task-flags.js'
import { canAsk } from '../../cli/consent/consent.js'
import { readContent } from '../../cli/memory/input.js'
import { supervisionOf } from '../../cli/operations/daemon/supervisor/supervisor-of.js'
import { thisMachine } from '../../cli/sessions/connect/plan-context.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { hasPipedInput } from '../../cli/shell/read-stdin.js'
import { colorsFor, print, printNote, shownId } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'
import { taskHarness } from '../../contract/ground/wire-names.js'

const wanted = {
  purpose: 'run',
  nextSteps: ['memory tasks add "look at the failing tests" --cron "0 9 * * 1-5" --harness claude'],
}

export default class TasksAdd extends DaemonCommand {
  static override summary = 'Run a prompt in a coding agent on a schedule.'
  static override description =
    'On a terminal, asks for missing values and shows when the task would run. The daemon starts the agent ' +
    'without a terminal and with your rights; it does not ask for permissions. With --json, or ' +
    'without a terminal, the prompt, --cron and --harness are required.'
  static override examples = [
    '<%= config.bin %> tasks add',
    '<%= config.bin %> tasks add "summarise what changed since yesterday" --cron "0 9 * * 1-5" --harness claude',
    '<%= config.bin %> tasks add "tidy the notes" --cron "0 7 * * *" --acp "opencode acp" --permissions read',
    '<%= config.bin %> tasks add - --cron "0 2 * * *" --harness codex --folder ~/shop --name nightly < prompt.md',
  ]
  static override args = {
    prompt: Args.string({
      description: 'The prompt; - reads stdin.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...taskFlags,
    name: Flags.string({
      summary: 'Name of the task (default: the first words of the prompt).',
      helpValue: 'TEXT',
    }),
    off: Flags.boolean({ summary: 'Create it disabled; enable it later with memory tasks enable.' }),
  }

  async run(): Promise<Reply<'POST /api/tasks'>> {
    const { args, flags } = await this.parse(TasksAdd)
    const { workspace } = this.globals
    const words = args.prompt
    const hasPrompt = (words?.length ?? 0) > 0 || flags.file !== undefined || hasPipedInput(process.stdin)
    const given = {
      prompt: hasPrompt ? await readContent({ words, file: flags.file, wanted }) : undefined,
      cron: flags.cron,
      harness: flags.acp === undefined ? flags.harness : taskHarness.acp,
      name: flags.name,
    }
    const schedules = await openSchedules(workspace, new Date())
    const json = this.jsonEnabled()
    const { prompt, cron, harness, name } = await fillIn(given, { schedules, workspace, asks: canAsk(json) })
    const body = {
      ...{ name, prompt, cronExpression: cron, harness: harnessOf(harness), enabled: !flags.off },
      ...fieldsOf({ ...flags, cron: undefined, harness: undefined }, workspace),
    }
    const reply = await this.call('POST /api/tasks', { body })
    if (!json) await this.showCreated(reply.task, schedules.nextOf(cron))
    return reply
  }

  private async showCreated(task: Reply<'POST /api/tasks'>['task'], next: string) {
    const { id, name, enabled } = task
    const { workspace } = this.globals
    print(
      `${colorsFor().green('✓')} ${plainLine(name)} ${enabled ? `runs ${next}` : 'is disabled'} (${shownId(id)})`,
    )
    const missing = missingNote(startedBy(task).program, workspace)
    if (missing) printNote(missing)
    const isSupervised = process.env.SERVICE_DAEMON_URL || (await supervisionOf(thisMachine(workspace)))
    if (!isSupervised)
      printNote(
        'After a restart of this machine, tasks run only once the daemon is started. To start it with the system: memory daemon install',
      )
    printNote(`Next: memory tasks run ${shownId(id)} --follow`)
  }
}
