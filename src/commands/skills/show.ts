import { Args } from '@oclif/core'
import { skillFields } from '../../cli/agents/skills.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { plainLines } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'

export default class SkillsShow extends DaemonCommand {
  static override summary = 'Show an installed skill and its SKILL.md.'
  static override description = 'SKILL.md is printed to stdout, and details of the skill to stderr.'
  static override examples = [
    '<%= config.bin %> skills show pdf',
    '<%= config.bin %> skills show pdf > SKILL.md',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the skill.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'GET /api/skills/:name'>> {
    const { args } = await this.parse(SkillsShow)
    const skill = await this.call('GET /api/skills/:name', { params: { name: args.name } })
    if (this.jsonEnabled()) return skill
    printNote(`${skillFields(skill, colorsFor(process.stderr))}\n`)
    print(process.stdout.isTTY ? plainLines(skill.content) : skill.content)
    return skill
  }
}
