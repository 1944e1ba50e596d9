import { writeFileSync } from 'node:fs'
import type { TestDaemon } from './daemon.js'

/** Writes agent.yaml as a pull does, so its security settings wait for a person. */
export function bringSettings(
  { daemon, paths }: Pick<TestDaemon, 'daemon' | 'paths'>,
  text: string,
): Promise<void> {
  return daemon.waitingSettings.during(async () => writeFileSync(paths.settings, text))
}
