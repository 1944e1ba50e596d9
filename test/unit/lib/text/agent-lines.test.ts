import test from 'ava'
import { createOutputLines } from '../../../../src/cli/agents/tasks/show-run.js'
import { agentLine } from '../../../../src/lib/text/agent-lines.js'

const said = (event: object) => agentLine(JSON.stringify(event))

test('events of Claude Code are shown as texts and tools (tasks.md#commands)', t => {
  const content = [
    { type: 'text', text: 'I look.\n' },
    { type: 'tool_use', name: 'Bash', input: { command: 'npm  test' } },
  ]
  t.is(said({ type: 'assistant', message: { content } }), 'I look.\n> Bash: npm test')
  t.is(said({ type: 'system', subtype: 'init' }), undefined)
  t.is(said({ type: 'result', is_error: false, result: 'I look.' }), undefined, 'it was said before')
  t.is(said({ type: 'result', is_error: true, result: 'no credit' }), 'no credit')
})

test('events of Codex and OpenCode are shown as texts and tools (tasks.md#commands)', t => {
  t.is(said({ type: 'item.completed', item: { type: 'agent_message', text: 'done' } }), 'done')
  t.is(
    said({ type: 'item.completed', item: { type: 'command_execution', command: 'ls' } }),
    '> command_execution: ls',
  )
  t.is(said({ type: 'turn.failed', error: { message: 'no quota' } }), 'no quota')
  t.is(said({ type: 'text', part: { text: 'done' } }), 'done')
  const state = { input: { filePath: 'a.ts' } }
  t.is(said({ type: 'tool_use', part: { tool: 'read', state } }), '> read: a.ts')
})

test('other lines are shown unchanged (tasks.md#commands)', t => {
  for (const line of ['plain words', '{ broken', '[1]', '{"no":"type"}', '']) t.is(agentLine(line), line)
  for (const odd of [
    { type: 'assistant', message: 7 },
    { type: 'text', part: null },
    { type: 'item.completed' },
  ])
    t.is(said(odd), undefined)
})

test('split events are shown whole, and control characters are removed (tasks.md#commands)', t => {
  const out: string[] = []
  const lines = createOutputLines({ readable: true, out: text => out.push(text) })
  const text = JSON.stringify({ type: 'text', part: { text: 'red \u001b[31m' } })
  lines.write(text.slice(0, 9))
  lines.write(`${text.slice(9)}\nrest`)
  t.deepEqual(out, ['red [31m\n'])
  lines.end()
  t.deepEqual(out, ['red [31m\n', 'rest\n'])
})
