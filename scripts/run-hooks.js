// Runs every hook command that `memory connect` wrote for this user, by the given shell, with and without a
// byte order mark before its input: node scripts/run-hooks.js powershell|pwsh|cmd|bash|sh

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const shells = {
  powershell: ['powershell', '-NoProfile', '-Command'],
  pwsh: ['pwsh', '-NoProfile', '-Command'],
  cmd: ['cmd', '/d', '/s', '/c'],
  bash: ['bash', '-c'],
  sh: ['sh', '-c'],
}
/** Files of the agents that name a command for each hook. */
const files = ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json', '.cursor/hooks.json']

const shell = shells[process.argv[2]]
if (!shell) {
  console.error(`no shell ${process.argv[2]}; choose one of ${Object.keys(shells).join(', ')}`)
  process.exit(2)
}
const commands = new Set(files.flatMap(file => commandsIn(join(homedir(), file))))
if (commands.size === 0) {
  console.error('no hook was found: run memory connect first')
  process.exit(2)
}
const failed = [...commands].filter(command => !['', '\uFEFF'].every(mark => runs(command, mark)))
console.log(`${commands.size - failed.length} of ${commands.size} commands run`)
process.exit(failed.length === 0 ? 0 : 1)

function commandsIn(file) {
  if (!existsSync(file)) return []
  const found = []
  JSON.parse(readFileSync(file, 'utf8'), (key, value) => {
    if (key === 'command' && typeof value === 'string' && value.includes(' hook ')) found.push(value)
    return value
  })
  return found
}

/** A hook exits with 0 whatever happens. This note of the daemon shows that it had the input. */
function runs(command, mark) {
  const [program, ...options] = shell
  const input = `${mark}${JSON.stringify({ session_id: 'shells', conversation_id: 'shells', prompt: 'Grüße' })}`
  const { status, stderr } = spawnSync(program, [...options, command], { input, encoding: 'utf8' })
  const isRun = status === 0 && (stderr.trim() === '' || stderr.includes('had no effect'))
  if (!isRun) console.error(`${command}\n  status ${status}: ${stderr.trim()}`)
  return isRun
}
