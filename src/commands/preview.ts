import { Flags } from '@oclif/core'
import { projectFlag } from '../cli/memory/project-flags.js'
import { harnesses, harnessesNamed } from '../cli/sessions/connect/harnesses.js'
import { differenceLines, differenceText, previewText } from '../cli/sessions/preview.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, outputWidth, print, printNote } from '../cli/terminal/output.js'
import type { Reply } from '../contract/api.js'
import { previewHarnesses } from '../contract/sessions/harness-names.js'
import { workingFolder } from '../lib/workspace/working-folder.js'

const maxWidth = 100

const previewHarnessOf = (name: string) => previewHarnesses.find(known => known === name)

const previewed = harnesses.filter(({ name }) => previewHarnessOf(name))

export default class Preview extends DaemonCommand {
  static override summary = 'Show exactly what an agent would be given here, and why.'
  static override description =
    'Shows the text that a session, a prompt or a sub-agent would get in this folder, with the reason beside ' +
    'each line, the token budget, and what was left out. Nothing is recorded. When piped, prints the text ' +
    'alone, byte for byte, or with --diff one change per line with tab-separated fields: + or -, reason, ' +
    'kind, id, text.'
  static override examples = [
    '<%= config.bin %> preview',
    '<%= config.bin %> preview --harness codex --prompt "why does billing use Postgres?"',
    '<%= config.bin %> preview --diff',
  ]
  static override flags = {
    harness: Flags.string({
      char: 'H',
      summary: 'The coding agent that would get the text.',
      default: 'claude-code',
      options: previewed.flatMap(({ name, aliases }) => [name, ...aliases]),
    }),
    prompt: Flags.string({
      summary: 'Show what this prompt would get, instead of the start of a session.',
      helpValue: 'TEXT',
      exclusive: ['subagent', 'diff'],
    }),
    subagent: Flags.boolean({
      summary: 'Show what a sub-agent would start with.',
      exclusive: ['prompt', 'diff'],
    }),
    diff: Flags.boolean({ summary: 'Compare with the last start of a session in this project.' }),
    session: Flags.string({
      summary: 'Preview for this session, without the memories that it has already.',
      helpValue: 'KEY',
    }),
    project: projectFlag({
      char: 'p',
      summary: 'Project: name, folder, remote or key (default: that of the current folder).',
    }),
  }

  async run(): Promise<Reply<'POST /api/sessions/preview'>> {
    const { flags } = await this.parse(Preview)
    const { prompt, subagent, diff, session, project } = flags
    const event = subagent ? 'subagent' : prompt === undefined ? 'start' : 'prompt'
    const [harness] = harnessesNamed([flags.harness])
    const reply = await this.call('POST /api/sessions/preview', {
      body: {
        harness: harness && previewHarnessOf(harness.name),
        event,
        prompt,
        diff,
        sessionKey: session,
        project,
        cwd: project === undefined ? workingFolder() : undefined,
      },
    })
    if (!this.jsonEnabled()) show(reply)
    await this.noteUnknownProject(project)
    return reply
  }
}

function show(reply: Reply<'POST /api/sessions/preview'>): void {
  const { difference, text, note } = reply
  if (process.stdout.isTTY) {
    const view = { colors: colorsFor(), width: Math.min(outputWidth(), maxWidth), now: Date.now() }
    print(difference === undefined ? previewText(reply, view) : differenceText(reply, view))
    return
  }
  if (difference) process.stdout.write(differenceLines(difference))
  else if (difference === undefined) process.stdout.write(text)
  if (note) printNote(note)
  if (difference === null) printNote(noStart)
}

const noStart = 'No start of a session is recorded in this project yet.'
