import test from 'ava'
import fc from 'fast-check'
import {
  paintDiff,
  planSummary,
  planText,
  unifiedDiff,
} from '../../../../../src/cli/sessions/connect/connection-text.js'
import type { Machine } from '../../../../../src/cli/sessions/connect/entries/machine.js'
import { harnesses } from '../../../../../src/cli/sessions/connect/harnesses.js'
import type { Plan, PlanPart } from '../../../../../src/cli/sessions/connect/plan.js'
import { colorsFor } from '../../../../../src/cli/terminal/output.js'

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
const file = (lines: readonly string[]) => `${lines.join('\n')}\n`

test('distant changes are separate hunks with three lines of context', t => {
  const before = numbered(20)
  const after = before.with(1, 'second').toSpliced(18, 0, 'new')
  t.is(
    unifiedDiff('f', file(before), file(after)),
    [
      '--- f',
      '+++ f',
      '@@ -1,5 +1,5 @@',
      ' line 1',
      '-line 2',
      '+second',
      ' line 3',
      ' line 4',
      ' line 5',
      '@@ -16,5 +16,6 @@',
      ' line 16',
      ' line 17',
      ' line 18',
      '+new',
      ' line 19',
      ' line 20',
    ].join('\n'),
  )
})

test('new and removed files are compared with /dev/null, and a missing last newline is reported', t => {
  t.is(unifiedDiff('f', undefined, 'a\n'), '--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a')
  t.is(
    unifiedDiff('f', 'a', undefined),
    '--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file',
  )
  t.is(unifiedDiff('f', 'a\n', 'a\n'), '')
})

test('a blank last line of a hunk is kept, and different line ends are not a change', t => {
  t.is(unifiedDiff('f', 'a\n\n', 'b\n\n'), '--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\n+b\n ')
  t.is(unifiedDiff('f', 'a\r\n', 'a\n'), '--- f\n+++ f')
})

test('very different texts are compared quickly', t => {
  const other = numbered(3000).map(line => `other ${line}`)
  const lines = unifiedDiff('f', file(numbered(3000)), file(other)).split('\n')
  t.is(lines[2], '@@ -1,3000 +0,0 @@')
  t.is(lines[3003], '@@ -0,0 +1,3000 @@')
  t.is(lines.at(-1), '+other line 3000')
})

test('added lines are green, removed lines red, and control characters are replaced', t => {
  const colors = colorsFor({ isTTY: false })
  t.is(paintDiff('+a\u001b[2J', colors), '+a\uFFFD[2J')
  const painted = paintDiff('--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n c', {
    ...colors,
    green: text => `<g>${text}`,
    red: text => `<r>${text}`,
  })
  t.is(painted, '--- f\n+++ f\n@@ -1 +1 @@\n<r>-a\n<g>+b\n c')
})

test('applying a diff yields the new text', t => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      t.deepEqual(
        applyDiff(before, unifiedDiff('f', file(before), file(after))),
        after.length > 0 ? after : [''],
      )
    }),
    { numRuns: 300 },
  )
})

/** Applies the hunks of a diff; the generated texts always end in a newline. */
function applyDiff(before: readonly string[], diff: string): string[] {
  const lines = before.length > 0 ? before : ['']
  const result: string[] = []
  let position = 0
  for (const line of diff.split('\n').slice(2)) {
    const hunk = /^@@ -(\d+),(\d+)/u.exec(line)
    if (hunk) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1)
      result.push(...lines.slice(position, start))
      position = start
    } else if (line.startsWith('+')) result.push(line.slice(1))
    else {
      if (line.startsWith(' ')) result.push(line.slice(1))
      position++
    }
  }
  return [...result, ...lines.slice(position)]
}

const machine = {
  env: {},
  home: '/home/ann',
  folder: '/w',
  platform: 'linux',
  systemPath: undefined,
} as unknown as Machine

function planOf(harness: string, parts: readonly PlanPart[]): Plan {
  const paths = [...new Set(parts.map(({ path }) => path))]
  return {
    harness: harnesses.find(({ name }) => name === harness)!,
    program: { memory: ['memory'], mcp: [], reason: 'it is on the PATH' },
    changes: paths.map(path => ({ path, before: Buffer.from(''), after: Buffer.from('one\ntwo\n') })),
    parts,
  } as unknown as Plan
}

const plain = colorsFor({ isTTY: false })

test('a plan is summed up in three lines: the agent, what changes where, and the program', t => {
  const summary = planSummary(
    machine,
    planOf('gemini', [
      { path: '/home/ann/.gemini/settings.json', verb: 'updates', kind: 'hooks', count: 1 },
      { path: '/home/ann/.gemini/settings.json', verb: 'adds', kind: 'MCP server', count: 1 },
      { path: '/home/ann/.gemini/settings.json', verb: 'adds', kind: 'permission', count: 1 },
      { path: '/etc/other.json', verb: 'adds', kind: 'hooks', count: 7 },
    ]),
    { verb: 'connect', colors: plain },
  )
  const [heading, ...rest] = summary.split('\n')
  t.regex(heading ?? '', /^Gemini CLI {2}not found on this machine/)
  t.deepEqual(rest, [
    '  updates 1 hook in ~/.gemini/settings.json, adds 1 MCP server and 1 permission to ~/.gemini/settings.json, 7 hooks to /etc/other.json',
    '  hooks call memory (it is on the PATH)',
  ])
})

test('files that only describe a plugin are not listed beside it', t => {
  const folder = '/home/ann/.openclaw/extensions/memory-service'
  const part = (file: string, count: number) => ({
    path: `${folder}/${file}`,
    verb: 'adds' as const,
    kind: 'plugin' as const,
    count,
  })
  const plan = planOf('openclaw', [part('index.js', 1), part('package.json', 0)])
  const summary = planSummary(machine, plan, { verb: 'connect', colors: plain })
  t.is(summary.split('\n')[1], '  adds 1 plugin to ~/.openclaw/extensions/memory-service/index.js')
})

test('the source of a plugin is shown only on request', t => {
  const path = '/home/ann/.config/opencode/plugins/memory-service.js'
  const plan = planOf('opencode', [{ path, verb: 'removes', kind: 'plugin', count: 1 }])
  const options = { verb: 'disconnect' as const, colors: plain }
  t.is(planSummary(machine, plan, options).split('\n')[1], `  removes 1 plugin from ~${path.slice(9)}`)
  const text = planText(machine, plan, options)
  t.true(text.endsWith(`${path}: the source of our plugin, 2 lines`))
  t.true(planText(machine, plan, { ...options, withSources: true }).endsWith('+one\n+two'))
})
