import { Config, Help } from '@oclif/core'
import { packageRoot } from '../../lib/files/package-root.js'

/**
 * Shows oclif's help of one command or topic; of all for an empty id.
 * @param id with colons, known to exist.
 */
export async function showHelp(id: string): Promise<void> {
  const config = await Config.load(packageRoot())
  await new Help(config).showHelp(id === '' ? [] : id.split(':'))
}
