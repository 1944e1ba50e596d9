import test from 'ava'
import fc from 'fast-check'
import { paintDiff, unifiedDiff } from '../../../../../src/cli/sessions/connect/connection-text.js'
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
