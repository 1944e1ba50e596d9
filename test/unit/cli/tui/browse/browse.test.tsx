// runs: alone

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { BrowseScreen, debounceMs } from '../../../../../src/cli/tui/browse/browse.js'
import type { BrowseApi } from '../../../../../src/cli/tui/browse/browse-api.js'
import type { BrowseRow, BrowseTask } from '../../../../../src/cli/tui/browse/state.js'
import { until } from '../../../../helpers/cli.js'
import { browseRow } from './rows.js'

const now = Date.parse('2026-03-31T12:00:00Z')
const keys = { down: '\u001b[B', escape: '\u001b', enter: '\r', pageDown: '\u001b[6~' }

interface BrowseSession {
  frame: () => string
  press: (...texts: string[]) => Promise<void>
  shows: (text: string) => Promise<void>
  searches: { query: string; filter: object; signal: AbortSignal }[]
  tasks: BrowseTask[]
}

/** Renders the screen on an in-memory store that searches for substrings. */
function open(
  t: ExecutionContext,
  rows: BrowseRow[],
  overrides: Partial<BrowseApi> = {},
  size?: { columns: number; rows: number },
): BrowseSession {
  const searches: BrowseSession['searches'] = []
  const tasks: BrowseTask[] = []
  const api: BrowseApi = {
    search: async (query, filter, signal) => {
      searches.push({ query, filter, signal })
      return rows.filter(row => row.content.includes(query) && (!filter.pinned || row.pinned === 1))
    },
    run: async task => {
      tasks.push(task)
      const at = rows.findIndex(row => row.id === task.row.id)
      if (task.do === 'forget') rows.splice(at, 1)
      if (task.do === 'pin') rows[at] = { ...rows[at]!, pinned: task.pinned ? 1 : 0 }
      if (task.do === 'tags') rows[at] = { ...rows[at]!, tags: task.tags }
      return {
        text: `done ${task.do}`,
        undo: task.do === 'forget' ? { do: 'recover', row: task.row } : undefined,
      }
    },
    ...overrides,
  }
  const screen = render(<BrowseScreen api={api} query="" color={false} now={now} />)
  t.teardown(screen.unmount)
  if (size) {
    Object.defineProperties(screen.stdout, {
      columns: { value: size.columns, configurable: true },
      rows: { value: size.rows, configurable: true },
    })
    screen.stdout.emit('resize')
  }
  const frame = () => screen.lastFrame() ?? ''
  return {
    frame,
    searches,
    tasks,
    shows: async text => {
      await until(() => frame().includes(text), `the screen shows "${text}"; it shows\n${frame()}`)
      t.pass()
    },
    press: async (...texts) => {
      await until(() => screen.stdin.listenerCount('readable') > 0, 'Ink listens')
      for (const text of texts) {
        screen.stdin.write(text)
        await new Promise(resolve => setImmediate(resolve))
      }
    },
  }
}

test('the screen opens with the newest memories and searches while typing', async t => {
  const { press, shows, frame } = open(t, [browseRow('a', { content: 'deploy steps' }), browseRow('b')])
  await shows('2 memories')
  await press('d', 'e', 'p')
  await shows('1 memory')
  t.regex(frame(), /Search: dep/)
  t.regex(frame(), /> {3}deploy steps {2,}fact 3 d/)
  t.false(frame().includes('memory b'))
})

test('fast typing starts one search and cancels the one before it', async t => {
  const { press, shows, searches } = open(t, [browseRow('a', { content: 'deploy' })])
  await shows('1 memory')
  const started = performance.now()
  await press('d', 'e', 'p')
  const typedMs = performance.now() - started
  await until(() => searches.at(-1)?.query === 'dep', 'it searched again')
  t.deepEqual(
    searches.map(({ signal }) => signal.aborted),
    [...searches.slice(1).map(() => true), false],
  )
  // On a busy machine three keys may take longer than the debounce, which then triggers more searches.
  if (typedMs < debounceMs) t.is(searches.length, 2)
  else t.log(`three keys took ${Math.round(typedMs)} ms`)
})

test('a late answer is not shown', async t => {
  const waiting: { query: string; answer: (rows: BrowseRow[]) => void }[] = []
  const { press, shows, frame } = open(t, [], {
    search: query => new Promise(answer => waiting.push({ query, answer })),
  })
  await until(() => waiting.length === 1, 'the first search')
  await press('n')
  await until(() => waiting.length === 2, 'the second search')
  waiting[1]!.answer([browseRow('new')])
  await shows('memory new')
  waiting[0]!.answer([browseRow('old')])
  await press(keys.enter)
  await shows('Enter read')
  t.false(frame().includes('memory old'))
})

test('a long memory scrolls, and Esc returns to the list', async t => {
  const content = Array.from({ length: 800 }, (_, n) => `word${n}`).join(' ')
  const { press, shows, frame } = open(t, [browseRow('a', { content, tags: 'x,y' })])
  await shows('1 memory')
  await press(keys.enter)
  await shows('Enter read')
  await press(keys.enter)
  await shows('lines 1 to')
  t.regex(frame(), /#x #y/)
  await press('G')
  await shows('word799')
  t.false(frame().includes('word0 '))
  await press(keys.escape)
  await shows('Enter read')
})

test('p pins, and the list shows it', async t => {
  const { press, shows, tasks } = open(t, [browseRow('a'), browseRow('b')])
  await shows('2 memories')
  await press(keys.down, keys.enter)
  await shows('Enter read')
  await press('p')
  await shows('>*  memory b')
  await shows('done pin')
  t.like(tasks, [{ do: 'pin', pinned: true, row: { id: 'b' } }])
})

test('t edits tags, starting from the current ones', async t => {
  const { press, shows, tasks } = open(t, [browseRow('a', { tags: 'x' })])
  await shows('1 memory')
  await press(keys.enter)
  await shows('Enter read')
  await press('t')
  await shows('Tags: x')
  await press(',y')
  await shows('Tags: x,y')
  await press(keys.enter)
  await shows('#x #y')
  t.like(tasks, [{ do: 'tags', tags: 'x,y' }])
})

test('d forgets after a reason and y, never with Enter', async t => {
  const { press, shows, tasks, frame } = open(t, [browseRow('a'), browseRow('b')])
  await shows('2 memories')
  await press(keys.enter)
  await shows('Enter read')
  await press('d')
  await shows('Forget "memory a"')
  await press('old', keys.enter)
  await shows('y / n')
  await press(keys.enter)
  t.deepEqual(tasks, [])
  await press('y')
  await shows('1 memory')
  await shows('done forget')
  t.false(frame().includes('memory a'))
  t.like(tasks, [{ do: 'forget', reason: 'old', row: { id: 'a' } }])
})

test('s supersedes with a memory chosen in the list', async t => {
  const { press, shows, tasks } = open(t, [browseRow('a'), browseRow('b')])
  await shows('2 memories')
  await press(keys.enter)
  await shows('Enter read')
  await press('s')
  await shows('Choose the memory that replaces "memory a"')
  await press(keys.down, keys.enter)
  await shows('Replace "memory a" with "memory b"')
  await press('newer', keys.enter)
  await shows('y / n')
  await press('y')
  await shows('done supersede')
  t.like(tasks, [{ do: 'supersede', row: { id: 'a' }, by: { id: 'b' }, reason: 'newer' }])
})

test('a refusal by the daemon is shown in place, and the screen continues', async t => {
  const { press, shows } = open(t, [browseRow('a')], {
    run: async () => {
      throw new Error('writes are frozen')
    },
  })
  await shows('1 memory')
  await press(keys.enter)
  await shows('Enter read')
  await press('p')
  await shows('writes are frozen')
  await press('o')
  await shows('No memories match the filters.')
})

test('a failed search shows its reason', async t => {
  const { shows } = open(t, [], {
    search: async () => {
      throw new Error('no daemon answers')
    },
  })
  await shows('no daemon answers')
})

test('empty lists show a next step', async t => {
  const { press, shows } = open(t, [])
  await shows('No memories yet. Next: memory remember "..."')
  await press('x')
  await shows('No matches.')
})

test('100 long memories fit 24 lines of 80 columns', async t => {
  const rows = Array.from({ length: 100 }, (_, n) =>
    browseRow(`m${n}`, { content: `${n} ${'long text '.repeat(40)}` }),
  )
  const { press, shows, frame } = open(t, rows)
  await shows('100 memories')
  await press(keys.enter)
  await shows('Enter read')
  await press('G')
  await shows('0 below')
  t.true(frame().split('\n').length < 24)
  t.true(
    frame()
      .split('\n')
      .every(line => line.length <= 100),
  )
})

const small = { columns: 60, rows: 15 }

test('at 60x15 there are nine rows, the keys lead out, and every step fits', async t => {
  const rows = Array.from({ length: 30 }, (_, n) =>
    browseRow(`m${n}`, { content: `${n} ${'long text '.repeat(80)}` }),
  )
  const { press, shows, frame } = open(t, rows, {}, small)
  const fits = () => {
    const lines = frame().split('\n')
    t.true(lines.length < small.rows, frame())
    t.true(
      lines.every(line => line.length <= small.columns),
      frame(),
    )
  }
  await shows('30 memories')
  // In the search line the keys of the filters would type letters.
  await shows('types · tags · this folder · pinned or not · kept')
  fits()
  await press(keys.enter)
  await shows('f types · # tags · w this folder · o pinned or not · v kept')
  await shows('q quit · ? keys')
  t.is(frame().match(/^[> ][ *]/gmu)?.length, 9, frame())
  fits()
  await press('?')
  await shows('mark as wrong')
  fits()
  await press(' ')
  await shows('q quit · ? keys')
  await press('d')
  await shows('Reason:')
  fits()
  await press(keys.escape)
  await shows('? keys')
  await press(keys.enter)
  await shows('lines 1 to')
  fits()
})

test('e edits a text at the caret', async t => {
  const { press, shows, tasks } = open(t, [browseRow('a', { content: 'We deploy' })])
  await shows('1 memory')
  await press(keys.enter)
  await shows('Enter read')
  await press('e')
  await shows('Text: We deploy')
  await press('\u0001')
  await press('Now: ')
  await shows('Text: Now: We deploy')
  await press(keys.enter)
  await shows('done edit')
  t.like(tasks, [{ do: 'edit', text: 'Now: We deploy' }])
})

test('u undoes the last change, once', async t => {
  const { press, shows, tasks } = open(t, [browseRow('a'), browseRow('b')])
  await shows('2 memories')
  await press(keys.enter)
  await shows('Enter read')
  await press('d')
  await shows('Forget "memory a"')
  await press('old', keys.enter)
  await shows('y / n')
  await press('y')
  await shows('done forget')
  await press('u')
  await shows('done recover')
  await press('u')
  await shows('Nothing to undo here.')
  t.like(tasks.at(-1), { do: 'recover', row: { id: 'a' } })
})

test('v shows forgotten memories, which u brings back and nothing else changes', async t => {
  const { press, shows, tasks, searches } = open(t, [browseRow('a')])
  await shows('1 memory')
  await press(keys.enter)
  await shows('Enter read')
  await press('v')
  await shows('u bring back')
  await until(() => searches.length === 2, 'it searched again')
  t.like(searches.at(-1)?.filter, { forgotten: true })
  await press('p')
  await shows('This memory is forgotten.')
  await press('u')
  await shows('done recover')
  t.like(tasks, [{ do: 'recover', row: { id: 'a' } }])
})

test('w filters by project, + - ! rate, y copies', async t => {
  const { press, shows, tasks, searches } = open(t, [browseRow('a')])
  await shows('all tags · this folder')
  await shows('1 memory')
  await press(keys.enter)
  await shows('w this folder')
  await press('w')
  await shows('Project:')
  await press('shop', keys.enter)
  await shows('w shop')
  await until(() => searches.length === 2, 'it searched again')
  t.like(searches.at(-1)?.filter, { project: 'shop' })
  for (const key of ['+', '-', '!', '0', 'y', 'Y']) {
    const count = tasks.length
    await press(key)
    await until(() => tasks.length > count, `${key} does something`)
    await shows('done ')
  }
  t.like(tasks, [
    { judgement: 'up' },
    { judgement: 'down' },
    { judgement: 'wrong' },
    { judgement: 'none' },
    { do: 'copy', part: 'text' },
    { do: 'copy', part: 'id' },
  ])
})
