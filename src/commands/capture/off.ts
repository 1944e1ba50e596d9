import { CaptureCommand, type CaptureState } from '../../cli/sessions/capture.js'

export default class CaptureOff extends CaptureCommand {
  static override summary = 'Capture no sessions of a project, and tell agents nothing there.'
  static override description =
    'Adds a rule to agent.yaml that names the project by a hash. From the next call on, hooks of its sessions do ' +
    'nothing, and its logs are not imported. Earlier sessions stay; memory forget removes memories.'
  static override examples = [
    '<%= config.bin %> capture off',
    '<%= config.bin %> capture off --project client-x',
  ]
  static override flags = CaptureCommand.flags

  async run(): Promise<CaptureState> {
    const { flags } = await this.parse(CaptureOff)
    return this.turn(false, flags.project)
  }
}
