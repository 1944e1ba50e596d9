import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { readTranscript } from '../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import { shownPrompt, ToolLog } from '../../../../../src/daemon/sessions/work/tool-log.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'

async function logOf(text: string): Promise<ToolLog> {
  const log = new ToolLog('/home/ada/heron')
  const pieces = (async function* () {
    for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000)
  })()
  const messages = readTranscript(pieces, new LoopBudget(), {}, false, line => log.take(line))
  for await (const _message of messages);
  return log
}

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../fixtures/transcripts/${name}`, import.meta.url), 'utf8')

/** Prompts with the tools that followed them. */
async function toolsIn(name: string) {
  const { turns } = await logOf(fixture(name))
  return turns.filter(({ tools }) => tools.size > 0).map(({ asked, tools }) => [asked, ...tools.keys()])
}

const stored = 'Please remember how many messages the heron queue holds.'
const searched = 'Look up where the heron service comes from.'

for (const [file, prefix] of [
  ['claude-code-2.1.330.jsonl', 'mcp__memory__'],
  ['codex-0.169.0.jsonl', ''],
  ['gemini-0.61.0.jsonl', 'mcp_memory_'],
  ['copilot-1.0.102.jsonl', 'memory-'],
  ['opencode-1.18.33.json', 'memory_'],
] as const)
  test(`the recorded session ${file} has both tools in their turns, once`, async t => {
    const { turns } = await logOf(fixture(file))
    const used = turns.flatMap(({ asked, tools }) =>
      [...tools].filter(([tool]) => tool.includes('memory_')).map(([tool, uses]) => [asked, tool, uses]),
    )
    t.deepEqual(used, [
      [stored, `${prefix}memory_store`, 1],
      [searched, `${prefix}memory_search`, 1],
    ])
    t.true(turns.every(({ failed }) => failed === 0))
  })

test('older logs, of pi, Cursor and one document of Gemini CLI', async t => {
  t.deepEqual(await toolsIn('copilot.jsonl'), [['Why is the invoice total off by one cent?', 'bash']])
  t.deepEqual(await toolsIn('pi.jsonl'), [['Hello pi.', 'bash']])
  t.deepEqual(await toolsIn('cursor.jsonl'), [['Where is the limit of the queue set?', 'read_file']])
  t.deepEqual(await toolsIn('gemini-chat.json'), [['Rename the module.', 'edit']])
  t.deepEqual(await toolsIn('gemini-session.jsonl'), [['Rename the module in @src/book.ts.', 'edit']])
  t.deepEqual(await toolsIn('plain.txt'), [])
  const { turns } = await logOf(fixture('cursor.jsonl'))
  t.deepEqual([...(turns[0]?.files ?? [])], [['/home/ada/heron/queue.yaml', false]])
})

type Call = { id: string; tool: string; input: object; output: string; failed?: boolean; code?: number }

/** The same work in the log of each program: an edit, a file read, tests that fail and then pass. */
const programs: Record<string, (calls: readonly Call[]) => object[]> = {
  'Gemini CLI': calls => [
    { id: 'u1', type: 'user', content: [{ text: 'mend it' }] },
    ...calls.flatMap(({ id, tool, input, output, failed }) => {
      const call = { id, name: tool, args: input }
      const result = [{ functionResponse: { id, name: tool, response: { output } } }]
      const record = { id: `g-${id}`, type: 'gemini', content: '' }
      return [
        { ...record, toolCalls: [{ ...call, status: 'executing' }] },
        { ...record, toolCalls: [{ ...call, status: failed ? 'error' : 'success', result }] },
      ]
    }),
  ],
  'Qwen Code': calls => [
    { uuid: 'u1', provenance: 'real_user', message: { role: 'user', parts: [{ text: 'mend it' }] } },
    ...calls.flatMap(({ id, tool, input, output, failed }) => [
      {
        uuid: `a-${id}`,
        provenance: 'assistant_output',
        message: { role: 'model', parts: [{ functionCall: { id, name: tool, args: input } }] },
      },
      {
        uuid: `r-${id}`,
        provenance: 'tool_result',
        message: { role: 'user', parts: [{ functionResponse: { id, name: tool, response: { output } } }] },
        toolCallResult: { callId: id, status: failed ? 'error' : 'success' },
      },
    ]),
  ],
  'Copilot CLI': calls => [
    { type: 'user.message', id: 'u1', data: { content: 'mend it' } },
    ...calls.flatMap(({ id, tool, input, output, failed }) => [
      { type: 'tool.execution_start', data: { toolCallId: id, toolName: tool, arguments: input } },
      {
        type: 'tool.execution_complete',
        data: { toolCallId: id, success: failed !== true, result: { content: output } },
      },
    ]),
  ],
  OpenCode: calls => [
    { info: { id: 'u1', role: 'user' }, parts: [{ type: 'text', text: 'mend it' }] },
    ...calls.map(({ id, tool, input, output, failed, code }) => ({
      info: { id: `m-${id}`, role: 'assistant' },
      parts: [
        {
          type: 'tool',
          tool,
          callID: id,
          state: failed
            ? { status: 'error', input, error: output }
            : { status: 'completed', input, output, metadata: { exit: code } },
        },
      ],
    })),
  ],
  pi: calls => [
    { type: 'session', version: 3, id: 'p1', cwd: '/home/ada/heron' },
    { type: 'message', id: 'u1', message: { role: 'user', content: 'mend it' } },
    ...calls.flatMap(({ id, tool, input, output, failed }) => [
      {
        type: 'message',
        id: `a-${id}`,
        message: { role: 'assistant', content: [{ type: 'toolCall', id, name: tool, arguments: input }] },
      },
      {
        type: 'message',
        id: `r-${id}`,
        message: {
          role: 'toolResult',
          toolCallId: id,
          content: [{ type: 'text', text: output }],
          isError: failed === true,
        },
      },
    ]),
  ],
  'Kimi Code': calls => [
    { type: 'context.append_message', message: { role: 'user', content: 'mend it' } },
    ...calls.flatMap(({ id, tool, input, output, failed }) => [
      {
        type: 'context.append_loop_event',
        event: { type: 'tool.call', toolCallId: id, name: tool, args: input },
      },
      {
        type: 'context.append_loop_event',
        event: { type: 'tool.result', toolCallId: id, result: { output, ...(failed && { isError: true }) } },
      },
    ]),
  ],
  Cline: calls => [
    { role: 'user', content: [{ type: 'text', text: '<task>mend it</task>' }] },
    ...calls.flatMap(({ id, tool, input, output, failed }) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: tool, input }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: output, is_error: failed === true }],
      },
    ]),
  ],
}

/** Names of tools and fields, and how each program says that a command failed. */
const dialects: Record<string, { names: string[]; path: string; failed: Partial<Call> }> = {
  'Gemini CLI': {
    names: ['replace', 'read_file', 'run_shell_command'],
    path: 'file_path',
    failed: { output: 'Output: 1 failed\nError: (none)\nExit Code: 1\nSignal: 0' },
  },
  'Qwen Code': {
    names: ['edit', 'read_file', 'run_shell_command'],
    path: 'file_path',
    failed: { output: 'Output: 1 failed\nExit Code: 1\nSignal: (none)' },
  },
  'Copilot CLI': {
    names: ['edit', 'view', 'bash'],
    path: 'path',
    failed: { output: '1 failed\n<exited with exit code 1>' },
  },
  OpenCode: {
    names: ['edit', 'read', 'bash'],
    path: 'filePath',
    failed: { output: '1 failed', code: 1 },
  },
  pi: {
    names: ['edit', 'read', 'bash'],
    path: 'path',
    failed: { output: '1 failed\n\nCommand exited with code 1', failed: true },
  },
  'Kimi Code': {
    names: ['Edit', 'Read', 'Bash'],
    path: 'path',
    failed: { output: '1 failed', failed: true },
  },
  Cline: {
    names: ['replace_in_file', 'read_file', 'execute_command'],
    path: 'path',
    failed: { output: '1 failed', failed: true },
  },
}

function callsOf(program: string): Call[] {
  const { names, path, failed } = dialects[program] as (typeof dialects)[string]
  const [edit = '', read = '', run = ''] = names
  const command = { command: 'npm test' }
  return [
    { id: 't1', tool: edit, input: { [path]: 'src/queue.ts' }, output: 'done' },
    { id: 't2', tool: read, input: { [path]: '/etc/hosts' }, output: 'text' },
    { id: 't3', tool: run, input: command, output: '', ...failed },
    { id: 't4', tool: run, input: command, output: '3 passed', code: 0 },
  ]
}

for (const [program, write] of Object.entries(programs))
  test(`${program}: files, commands and tests`, async (t: ExecutionContext) => {
    const lines = write(callsOf(program))
    const isDocument = program === 'OpenCode' || program === 'Cline'
    const text = isDocument
      ? JSON.stringify({ messages: lines })
      : lines.map(line => `${JSON.stringify(line)}\n`).join('')
    const { turns } = await logOf(text)
    t.is(turns.length, 1)
    const [turn] = turns
    t.is(turn?.asked, 'mend it')
    t.deepEqual([...(turn?.tools.values() ?? [])], [1, 1, 2])
    t.deepEqual(
      [...(turn?.files ?? [])],
      [
        ['/home/ada/heron/src/queue.ts', true],
        ['/etc/hosts', false],
      ],
    )
    t.deepEqual(
      turn?.commands.map(({ command, ok }) => [command, ok]),
      [
        ['npm test', false],
        ['npm test', true],
      ],
    )
    t.deepEqual(
      turn?.tests.map(({ ok }) => ok),
      [false, true],
    )
    t.is(turn?.failed, 1)
  })

test('patches name their files in the programs that have them', async t => {
  const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n*** Add File: b.ts\n+x\n*** End Patch'
  const calls = [
    { id: 'p1', tool: 'apply_patch', input: { input: patch, patchText: patch }, output: 'ok', code: 0 },
  ]
  for (const program of ['Copilot CLI', 'OpenCode']) {
    const { turns } = await logOf(JSON.stringify({ messages: programs[program]?.(calls) }))
    t.deepEqual(
      [...(turns[0]?.files.keys() ?? [])],
      ['/home/ada/heron/a.ts', '/home/ada/heron/b.ts'],
      program,
    )
  }
})

test('long prompts and outputs are shown by their ends, with credentials hidden at each cut', async t => {
  const key = `sk-live-${'a1b2'.repeat(12)}`
  const line = 'the crane moves\n'
  const prompt = `${' \n'.repeat(30_000)}Look at ${key} and ${'word '.repeat(26)}${key} ${line.repeat(60_000)}`
  t.regex(shownPrompt(prompt), /^Look at \[secret\] and (?:word )+/u)
  const output = `token ${key}\n${line.repeat(60_000)}${key}\n${'end '.repeat(60)}`
  const calls = [{ id: 'b1', tool: 'bash', input: { command: `deploy ${key}` }, output, code: 0 }]
  const { turns } = await logOf(JSON.stringify({ messages: programs.OpenCode?.(calls) }))
  const [ran] = turns[0]?.commands ?? []
  t.is(ran?.command, 'deploy [secret]')
  t.regex(ran?.output ?? '', /^token \[secret\]\nthe crane moves\n[\s\S]*\[secret\]\n(?:end )+end$/u)
  t.true((ran?.output ?? '').length < 700)
  t.notRegex(JSON.stringify(ran) + shownPrompt(prompt), /a1b2/u)
})
