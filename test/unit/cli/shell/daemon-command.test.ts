import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'ava'
import { printTelemetryNotice } from '../../../../src/cli/shell/daemon-command.js'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const here = { enabled: true, deliveryConfigured: false }

function terminal(isTTY = true) {
  const lines: string[] = []
  return { lines, stream: { isTTY, write: (text: string) => void lines.push(text) } }
}

test('the telemetry notice appears once per workspace, only on a terminal (telemetry.md 3)', async t => {
  const workspace = temporaryWorkspace(t)
  const pipe = terminal(false)
  await printTelemetryNotice({ workspace, stream: pipe.stream, ask: async () => here })
  t.deepEqual(pipe.lines, [])
  const { lines, stream } = terminal()
  const failing = () => Promise.reject(new Error('forbidden'))
  await printTelemetryNotice({ workspace, stream, ask: failing })
  t.deepEqual(lines, [])
  const telling = () => printTelemetryNotice({ workspace, stream, ask: async () => here })
  await Promise.all([telling(), telling(), telling()])
  await telling()
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', /stay on this machine\. To turn this off: memory telemetry off\n$/u)
})

test('no notice appears if telemetry is off or cannot be recorded; an address is named (telemetry.md 3)', async t => {
  const off = terminal()
  const ask = async () => ({ ...here, enabled: false })
  await printTelemetryNotice({ workspace: temporaryWorkspace(t), stream: off.stream, ask })
  const blocked = temporaryWorkspace(t)
  mkdirSync(dirname(dirname(workspacePaths(blocked).telemetryTold)), { recursive: true })
  mkdirSync(workspacePaths(blocked).telemetryTold, { recursive: true })
  await printTelemetryNotice({ workspace: blocked, stream: off.stream, ask: async () => here })
  t.deepEqual(off.lines, [])
  const { lines, stream } = terminal()
  const sent = async () => ({ ...here, deliveryConfigured: true })
  await printTelemetryNotice({ workspace: temporaryWorkspace(t), stream, ask: sent })
  t.regex(lines.join(''), /sent to the address in agent\.yaml/u)
})
