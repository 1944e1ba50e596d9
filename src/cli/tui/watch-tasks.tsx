import { Box, render, Text, useApp, useInput } from 'ink'
import { type Dispatch, useEffect, useReducer, useRef } from 'react'
import { programs } from '../agents/tasks/harness-program.js'
import { isOpen, lastText, nextText, type Task } from '../agents/tasks/task-text.js'
import { colorsFor } from '../terminal/output.js'
import { padText, plainLine } from '../terminal/text.js'
import { keyPresses, tint, useScreenSize } from './screen.js'

interface TasksState {
  tasks: readonly Task[] | undefined
  /** Of the chosen one: it stays chosen when others come and go. */
  chosen: string | undefined
  /** One line about the last key or look, '' when there is nothing to say. */
  notice: string
}

type TasksAction =
  | { do: 'seen'; tasks: readonly Task[] }
  | { do: 'move'; by: number }
  | { do: 'told'; notice: string }

const noTasksYet: TasksState = { tasks: undefined, chosen: undefined, notice: '' }

interface TasksScreenProps {
  /** False draws without colour. */
  color: boolean
  look: () => Promise<readonly Task[]>
  /** Rejects with a sentence for the person. */
  run: (task: Task) => Promise<void>
  /** Switches on or off. Rejects likewise. */
  toggle: (task: Task) => Promise<void>
  /** Ends the run that is under way or waits. Rejects likewise. */
  cancel: (task: Task) => Promise<void>
}

const lookEveryMs = 1000

/** Lines that are no tasks: headings, what the chosen one is, the notice, the keys. */
const otherLines = 6

interface TaskRowProps {
  task: Task
  isChosen: boolean
  columns: number
  color: boolean
}

/** Shows tasks on the terminal as they stand, until the person ends. */
export async function watchTasks(input: TasksScreenProps): Promise<void> {
  const screen = render(<TasksScreen {...input} />)
  await screen.waitUntilExit()
}

/** Tasks as they are looked at every second. */
function useTasks(look: TasksScreenProps['look']) {
  const [state, act] = useReducer(reduceTasks, noTasksYet)
  useEffect(() => {
    const refresh = () =>
      look().then(
        tasks => act({ do: 'seen', tasks }),
        error => act({ do: 'told', notice: (error as Error).message }),
      )
    void refresh()
    const timer = setInterval(refresh, lookEveryMs)
    return () => clearInterval(timer)
  }, [look])
  return [state, act] as const
}

/** What keys do to the chosen task; a run is ended by the second of two presses, since its work is lost. */
function useTaskKeys(
  chosen: Task | undefined,
  act: Dispatch<TasksAction>,
  { run, toggle, cancel }: Pick<TasksScreenProps, 'run' | 'toggle' | 'cancel'>,
): void {
  const { exit } = useApp()
  // A key may come before the screen that it answers has taken its keys over.
  const latest = useRef(chosen)
  latest.current = chosen
  const asked = useRef<string | undefined>(undefined)
  const tell = (notice: string): void => act({ do: 'told', notice })
  const change = (what: (task: Task) => string, work: (task: Task) => Promise<void>): void => {
    const task = latest.current
    if (!task) return
    work(task).then(
      () => tell(`${task.name} ${what(task)}`),
      error => tell((error as Error).message),
    )
  }
  const end = (wasAsked: boolean): void => {
    const task = latest.current
    if (!task) return
    const { name, lastRunStatus } = task
    if (lastRunStatus === null || !isOpen(lastRunStatus)) tell(`${name} does not run`)
    else if (!wasAsked) {
      asked.current = task.id
      tell(`c again ends the run of ${name}`)
    } else {
      tell(`${name} is being ended`)
      change(() => 'was ended', cancel)
    }
  }
  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const wasAsked = asked.current !== undefined && asked.current === latest.current?.id
      asked.current = undefined
      if (press.input === 'q' || press.key.escape) exit()
      else if (press.key.downArrow || press.input === 'j') act({ do: 'move', by: 1 })
      else if (press.key.upArrow || press.input === 'k') act({ do: 'move', by: -1 })
      else if (press.input === 'r') change(() => 'was started', run)
      else if (press.input === 'e') change(({ enabled }) => `is switched ${enabled ? 'off' : 'on'}`, toggle)
      else if (press.input === 'c') end(wasAsked)
    }
  })
}

/** Tasks as they stand, looked at every second: r runs the chosen one, c c ends its run, e switches it, q ends. */
export function TasksScreen({ color, look, ...changes }: TasksScreenProps) {
  const [state, act] = useTasks(look)
  const { columns, rows } = useScreenSize()
  const position = positionOf(state)
  const chosen = state.tasks?.[position]
  useTaskKeys(chosen, act, changes)

  const shown = Math.max(1, rows - otherLines)
  const from = Math.max(0, Math.min(position - Math.floor(shown / 2), (state.tasks?.length ?? 0) - shown))
  return (
    <Box flexDirection="column" width={columns}>
      <Text dimColor wrap="truncate">
        {`  ${rowOf(['NAME', 'NEXT', 'LAST'], columns)}`}
      </Text>
      {state.tasks?.slice(from, from + shown).map(task => (
        <TaskRow key={task.id} task={task} isChosen={task === chosen} columns={columns} color={color} />
      ))}
      {state.tasks?.length === 0 && <Text>No tasks. Next: memory tasks add</Text>}
      <Text dimColor wrap="truncate">
        {chosen
          ? `${chosen.cronExpression}, ${programs[chosen.harness].program}: ${plainLine(chosen.prompt)}`
          : ' '}
      </Text>
      <Text wrap="truncate" {...tint(color, 'yellow')}>
        {plainLine(state.notice) || ' '}
      </Text>
      <Text dimColor wrap="truncate">
        r run · c end its run · e on/off · ↑↓ choose · q end
      </Text>
    </Box>
  )
}

function TaskRow({ task, isChosen, columns, color }: TaskRowProps) {
  const now = Date.now()
  const status = task.lastRunStatus
  const tone = status === null || status === 'completed' ? 'green' : isOpen(status) ? 'cyan' : 'red'
  const plain = colorsFor({ isTTY: false })
  const cells = [plainLine(task.name), nextText(task, now), lastText(task, { colors: plain, now })] as const
  return (
    <Text wrap="truncate" bold={isChosen} dimColor={!task.enabled && !isChosen}>
      {isChosen ? '> ' : '  '}
      {rowOf([cells[0], cells[1], ''], columns)}
      <Text {...tint(color && status !== null, tone)}>{cells[2]}</Text>
    </Text>
  )
}

/** Columns of a row: what the terminal has left is the name's. */
function rowOf([name, next, last]: readonly [string, string, string], columns: number): string {
  const nextWidth = 10
  const lastWidth = 18
  return `${padText(name, Math.max(10, columns - nextWidth - lastWidth - 6))}  ${padText(next, nextWidth)}  ${last}`
}

/** The state after one look or key. */
function reduceTasks(state: TasksState, action: TasksAction): TasksState {
  if (action.do === 'told') return { ...state, notice: action.notice }
  if (action.do === 'seen') {
    const { tasks } = action
    const isThere = tasks.some(({ id }) => id === state.chosen)
    return { ...state, tasks, chosen: isThere ? state.chosen : tasks[0]?.id }
  }
  const { tasks = [] } = state
  const at = Math.max(0, positionOf(state) + action.by)
  return { ...state, chosen: tasks[Math.min(at, tasks.length - 1)]?.id, notice: '' }
}

/** Where the chosen task stands. */
function positionOf({ tasks = [], chosen }: TasksState): number {
  return Math.max(
    0,
    tasks.findIndex(({ id }) => id === chosen),
  )
}
