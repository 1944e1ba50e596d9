import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { fakeProgram } from '../helpers/fake-program.js'
import { harnessHook } from '../helpers/harness-hook.js'
import { putSkill, skillText } from '../helpers/skills.js'

const installs = `
const { mkdirSync, writeFileSync } = require('node:fs')
const name = process.argv[process.argv.indexOf('--skill') + 1]
if (name === 'missing') { console.log('looked\\n\\u25a0  No matching skills found'); process.exit(1) }
mkdirSync('skills/' + name, { recursive: true })
writeFileSync('skills/' + name + '/SKILL.md', '---\\nname: ' + name + '\\ndescription: from npx\\n---\\n')
`

/** Runs commands in a test workspace whose daemon uses these programs and this registry. */
function cli(t: ExecutionContext, env: Record<string, string> = {}) {
  const paths = workspacePaths(cliWorkspace(t))
  return {
    paths,
    run: (...args: string[]) => runHere(t, args, { env: { SKILLS_API_URL: 'http://127.0.0.1:9', ...env } }),
  }
}

test('skills are listed and shown as text for pipes and as JSON', async t => {
  const { paths, run } = cli(t)
  putSkill(paths, 'tidy', skillText('tidy', 'metadata:\n  version: 1.10\n'), { 'a.sh': '' })
  t.is((await run('skills', 'list')).stdout, 'tidy\t1.10\tdoes tidy')
  t.is((await run('skills', 'list', '--json')).json().skills[0].version, '1.10')
  const shown = await run('skills', 'show', 'tidy')
  t.regex(shown.stdout, /^# tidy$/m)
  t.regex(shown.stderr, /SKILL\.md, a\.sh/)
  t.is((await run('skills', 'show', 'nowhere')).code, 3)
})

test('a broken skill is listed, and doctor reports it', async t => {
  const { paths, run } = cli(t)
  putSkill(paths, 'tidy', '---\ndescription: Use when: so\n---\n')
  const { stdout, stderr } = await run('skills', 'list')
  t.is(stdout, 'tidy\t-\tUse when: so')
  t.regex(stderr, /memory health/)
  const { findings } = (await run('doctor', '--json')).json()
  t.like(
    findings.find(({ id }: { id: string }) => id === 'skills'),
    { severity: 'warning' },
  )
})

test('a skill is installed, and a failure shows the end of the installer’s output', async t => {
  const [npm, npx] = [fakeProgram(t, 'npm', ''), fakeProgram(t, 'npx', installs)]
  const { paths, run } = cli(t, { PATH: npm.path.split(delimiter)[0] + delimiter + npx.path })
  const { code, stdout } = await run('skills', 'install', 'tidy', '--source', 'ada/skills')
  t.is(code, 0)
  t.regex(stdout, /Installed tidy from ada\/skills in/)
  t.true(existsSync(join(paths.skills, 'tidy', 'SKILL.md')))
  const again = await run('skills', 'install', 'tidy', '--source', 'ada/skills')
  t.is(again.code, 4)
  const failed = await run('skills', 'install', 'missing', '--source', 'ada/skills')
  t.is(failed.code, 1)
  t.regex(failed.stderr, /^ {2}looked$/m)
  t.regex(failed.stderr, /error: the installer failed with "ada\/skills".*No matching skills found/)
  const json = (await run('skills', 'install', 'missing', '--source', 'ada/skills', '--json')).json()
  t.like(json, { success: false, code: 'install_failed' })
})

test('removing a skill needs --yes without a terminal, and shows what would be deleted', async t => {
  const { paths, run } = cli(t)
  putSkill(paths, 'tidy', undefined, { 'a.sh': '' })
  const refused = await run('skills', 'remove', 'tidy')
  t.is(refused.code, 2)
  t.regex(refused.stderr, /--yes/)
  t.regex((await run('skills', 'remove', 'tidy', '--dry-run')).stdout, /SKILL\.md, a\.sh/)
  t.true(existsSync(join(paths.skills, 'tidy')))
  t.is((await run('skills', 'remove', 'tidy', '--yes')).code, 0)
  t.false(existsSync(join(paths.skills, 'tidy')))
  t.is((await run('skills', 'remove', 'tidy', '--yes')).code, 3)
})

test('the registry is searched, and an unavailable one is an error', async t => {
  const skills = [{ name: 'tidy', source: 'ada/skills', installs: 3, description: 'tidies up' }]
  const { url } = await startHttpFake(t, (_request, response) => sendJson(response, 200, { skills }))
  const { run } = cli(t, { SKILLS_API_URL: url })
  t.is((await run('skills', 'search', 'tidy', 'up')).stdout, 'tidy\tada/skills\t-\ttidies up')
})

test('an unreachable registry is an error with a fix', async t => {
  const { run } = cli(t)
  const { code, stderr, stdout } = await run('skills', 'search', 'tidy')
  t.deepEqual([code, stdout], [1, ''])
  t.regex(stderr, /can't be reached/)
  t.regex(stderr, /--source/)
})

test('skill usage is shown', async t => {
  const { paths, run } = cli(t)
  putSkill(paths, 'tidy')
  t.regex((await run('skills', 'stats')).stderr, /No recorded uses of skills/)
  const input = {
    session_id: 's-1',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    tool_name: 'Skill',
    tool_input: { skill: 'tidy' },
  }
  const { port } = JSON.parse(readFileSync(paths.registration, 'utf8'))
  await harnessHook({ url: `http://127.0.0.1:${port}` }, 'claude-code/notifications', input)
  t.is((await run('skills', 'stats', '--since', '1d')).stdout, 'tidy\t1\t1\t0')
  t.is((await run('skills', 'stats', '--json')).json().totalCalls, 1)
})

test('agent files are listed, and regenerated by the workspace’s script', async t => {
  const python = process.platform === 'win32' ? 'python' : 'python3'
  const code = `console.log('made'); process.exit(process.argv[2].includes('generate') ? 0 : 2)`
  const { paths, run } = cli(t, { PATH: fakeProgram(t, python, code).path })
  const { stdout } = await run('harnesses', 'list')
  t.regex(stdout, /^cursor\tmissing\tmcp\t.*mcp\.json$/m)
  t.is((await run('harnesses', 'list', '--present')).stdout, '')
  t.is((await run('harnesses', 'regenerate')).code, 3)
  mkdirSync(join(paths.harnessScript, '..'))
  writeFileSync(paths.harnessScript, '')
  const made = await run('harnesses', 'regenerate')
  t.deepEqual([made.code, made.stderr], [0, '  made'])
})
