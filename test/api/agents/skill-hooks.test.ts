import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { harnessHook } from '../../helpers/harness-hook.js'
import { startSession, submitPrompt } from '../../helpers/hooks.js'
import { putSkill } from '../../helpers/skills.js'

async function usesOf({ call }: TestDaemon, query = {}): Promise<[string, number][]> {
  const { body } = await call('GET /api/skills/analytics', { query })
  return body.topSkills.map(({ skillName, count }) => [skillName, count])
}

/** The input of Claude Code 2.1 before it uses a tool. */
const beforeTool = (daemon: TestDaemon, tool: object) =>
  harnessHook(daemon, 'claude-code/notifications', {
    session_id: '0198c0de-0000-7000-8000-000000000001',
    transcript_path: '/tmp/none.jsonl',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    tool_use_id: 'toolu_1',
    ...tool,
  })

test('skills that Claude Code loads with its tool are counted, including those of plugins', async t => {
  const daemon = await startDaemon(t)
  await beforeTool(daemon, { tool_name: 'Skill', tool_input: { skill: 'tidy', args: 'now' } })
  await beforeTool(daemon, { tool_name: 'Skill', tool_input: { command: 'tidy' } })
  await beforeTool(daemon, { tool_name: 'Skill', tool_input: { skill: 'desk:sort' } })
  t.deepEqual(await usesOf(daemon), [
    ['tidy', 2],
    ['desk:sort', 1],
  ])
  t.like((await daemon.call('GET /api/skills/analytics')).body, { successRate: 1, latency: { p50: 0 } })
})

test('other tools and impossible skill names are not counted and cause no error', async t => {
  const daemon = await startDaemon(t)
  const tools = [
    { tool_name: 'Bash', tool_input: { command: 'tidy' } },
    { tool_name: 'Skill', tool_input: { skill: '../../etc' } },
    { tool_name: 'Skill', tool_input: 'tidy' },
    { tool_name: 'Skill' },
  ]
  for (const tool of tools) t.is((await beforeTool(daemon, tool)).status, 200)
  t.deepEqual(await usesOf(daemon), [])
})

test('a prompt that begins with the name of an installed skill counts as a use by its agent', async t => {
  const daemon = await startDaemon(t)
  putSkill(daemon.paths, 'tidy')
  await startSession(daemon, { sessionKey: 's1', agentId: 'maya' })
  for (const prompt of ['/tidy the desk', '$tidy', '/tidy'])
    await submitPrompt(daemon, prompt, { sessionKey: 's1' })
  for (const prompt of ['/clear', '/tidyer', 'please /tidy', '/tidy/up', '/..', 'tidy'])
    await submitPrompt(daemon, prompt, { sessionKey: 's1' })
  t.deepEqual(await usesOf(daemon, { agent_id: 'maya' }), [['tidy', 3]])
  t.deepEqual(await usesOf(daemon), [])
})

test('bypassed sessions are not counted', async t => {
  const daemon = await startDaemon(t)
  putSkill(daemon.paths, 'tidy')
  await startSession(daemon, { sessionKey: 's1' })
  await daemon.call('POST /api/sessions/:key/bypass', { params: { key: 's1' }, body: { enabled: true } })
  await submitPrompt(daemon, '/tidy', { sessionKey: 's1' })
  t.deepEqual(await usesOf(daemon), [])
})
