import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Flags } from '@oclif/core'
import { type Diagnosis, diagnose, diagnosisText } from '../cli/operations/doctor/doctor.js'
import type { DoctorContext, LocalCheck } from '../cli/operations/doctor/finding.js'
import { harnessChecks } from '../cli/operations/doctor/harness-checks.js'
import { thisMachine } from '../cli/sessions/connect/plan-context.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { colorsFor } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import { startSpinner } from '../cli/terminal/progress.js'
import { call } from '../client/call.js'
import { ClientError } from '../client/http/client-error.js'
import { networkDiskOf } from '../lib/files/network-disk.js'
import { version } from '../lib/workspace/version.js'

export default class Doctor extends DaemonCommand {
  static override summary = 'Check that everything works, and show how to fix what does not.'
  static override description =
    'Checks Node, the workspace and its files, the connected agents, the daemon and everything it stores (as ' +
    'memory diagnostics does), and shows what needs action. It saves a memory in a transaction that is undone ' +
    'and recalls a stored one, and leaves nothing behind. The exit code is 6 if there is a warning or an error, ' +
    'and 0 otherwise. A missing model is only reported as info unless agent.yaml ' +
    'names one: until it is available, recall uses keywords. --fix repairs what is safe: missing folders, ' +
    'permissions, files left by a killed process, and outdated entries of connected agents.'
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --verbose',
    '<%= config.bin %> doctor --fix',
    '<%= config.bin %> doctor --json',
  ]
  static override flags = {
    fix: Flags.boolean({ summary: 'Repair problems that are safe to repair.' }),
    verbose: Flags.boolean({ summary: 'Show all checks, also those that found nothing.', char: 'v' }),
  }

  async run(): Promise<Diagnosis> {
    const { fix, verbose } = (await this.parse(Doctor)).flags
    const spinner = startSpinner('checking')
    try {
      const diagnosis = await diagnose(await this.context(), {
        fix,
        onCheck: id => spinner.say(`checking ${id}`),
      })
      spinner.stop()
      if (!diagnosis.healthy) process.exitCode = exitCodes.findings.code
      if (!this.jsonEnabled()) await printLong(diagnosisText(diagnosis, colorsFor(), { all: verbose }))
      return diagnosis
    } finally {
      spinner.stop()
    }
  }

  private async context(): Promise<DoctorContext> {
    const machine = thisMachine(this.globals.workspace)
    const paths = machine.workspace
    return {
      paths,
      version,
      nodeVersion: process.version,
      platform: process.platform,
      driver: async () => (await import('../client/daemon/launch.js')).checkDriver(paths),
      user: process.env,
      networkDisk: networkDiskOf,
      remote: process.env.SERVICE_DAEMON_URL || undefined,
      harnesses: await harnessChecks(machine).catch(withoutSettings),
      now: () => performance.now(),
      freeBytes,
      findDaemon: async () => (await import('../client/daemon/find-daemon.js')).findDaemon(paths),
      // The survey reads every row of a large store.
      call: (address, request) => call(address, request, { ...this.globals, timeoutMs: 180_000 }),
    }
  }
}

/**
 * Invalid settings have a check of their own; without them the daemon's address is unknown. Without a home
 * folder no agent can be checked.
 */
function withoutSettings(error: unknown): LocalCheck[] {
  if (error instanceof CliError && error.code === 'no_home')
    return [
      { id: 'agents', run: async () => ({ severity: 'info', evidence: `not checked: ${error.message}` }) },
    ]
  if (error instanceof CliError || error instanceof ClientError) return []
  throw error
}

/** A folder that does not exist yet will be on the file system of its nearest parent. */
async function freeBytes(folder: string): Promise<number> {
  if (!existsSync(folder)) return freeBytes(dirname(folder))
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
