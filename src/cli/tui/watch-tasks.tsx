import { render, Text, useApp, useInput } from 'ink'
import { type Dispatch, useEffect, useReducer, useRef } from 'react'
import { startedBy } from '../agents/tasks/harness-program.js'
import { isOpen, lastText, nextText, type Task } from '../agents/tasks/task-text.js'
import { colorsFor } from '../terminal/output.js'
import { padText, plainLine } from '../terminal/text.js'
import { Column, keyPresses, tint, useScreenSize } from './screen.js'

interface TasksState {
  tasks: readonly Task[] | undefined
  /** Id of the selected task, which stays selected when others change. */
  chosen: string | undefined
  /** Feedback on the last key or refresh in one line; '' if there is none. */
  notice: string
}

type TasksAction =
  | { do: 'refreshed'; tasks: readonly Task[] }
  | { do: 'move'; by: number }
  | { do: 'notice'; notice: string }

const noTasksYet: TasksState = { tasks: undefined, chosen: undefined, notice: '' }

interface TasksScreenProps {
  /** False disables colour. */
  color: boolean
  look: () => Promise<readonly Task[]>
  /** Rejects with a sentence for the user. */
  run: (task: Task) => Promise<void>
  /** Enables or disables a task. Rejects likewise. */
  toggle: (task: Task) => Promise<void>
  /** Cancels the running or waiting run. Rejects likewise. */
  cancel: (task: Task) => Promise<void>
}

const lookEveryMs = 1000

/** Lines other than tasks: headings, details of the selected task, notice, keys. */
const otherLines = 6

interface TaskRowProps {
  task: Task
  isChosen: boolean
  columns: number
  color: boolean
}

/** Shows the tasks live until the user ends. */
export async function watchTasks(input: TasksScreenProps): Promise<void> {
  const screen = render(<TasksScreen {...input} />)
  await screen.waitUntilExit()
}

/** Refreshes the tasks every second. */
function useTasks(look: TasksScreenProps['look']) {
  const [state, act] = useReducer(reduceTasks, noTasksYet)
  useEffect(() => {
    const refresh = () =>
      look().then(
        tasks => act({ do: 'refreshed', tasks }),
        error => act({ do: 'notice', notice: (error as Error).message }),
      )
    void refresh()
    const timer = setInterval(refresh, lookEveryMs)
    return () => clearInterval(timer)
  }, [look])
  return [state, act] as const
}

/** Handles keys for the selected task. Cancelling a run needs two presses, since its work is lost. */
function useTaskKeys(
  chosen: Task | undefined,
  act: Dispatch<TasksAction>,
  { run, toggle, cancel }: Pick<TasksScreenProps, 'run' | 'toggle' | 'cancel'>,
): void {
  const { exit } = useApp()
  // A key may arrive before the next render has replaced its handler.
  const latest = useRef(chosen)
  latest.current = chosen
  const confirming = useRef<string | undefined>(undefined)
  const notify = (notice: string): void => act({ do: 'notice', notice })
  const change = (what: (task: Task) => string, work: (task: Task) => Promise<void>): void => {
    const task = latest.current
    if (!task) return
    work(task).then(
      () => notify(`${task.name} ${what(task)}`),
      error => notify((error as Error).message),
    )
  }
  const end = (wasAsked: boolean): void => {
    const task = latest.current
    if (!task) return
    const { name, lastRunStatus } = task
    if (lastRunStatus === null || !isOpen(lastRunStatus)) notify(`${name} is not running`)
    else if (!wasAsked) {
      confirming.current = task.id
      notify(`press c again to cancel the run of ${name}`)
    } else {
      notify(`cancelling the run of ${name}`)
      change(() => 'run cancelled', cancel)
    }
  }
  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const wasAsked = confirming.current !== undefined && confirming.current === latest.current?.id
      confirming.current = undefined
      if (press.input === 'q' || press.key.escape) exit()
      else if (press.key.downArrow || press.input === 'j') act({ do: 'move', by: 1 })
      else if (press.key.upArrow || press.input === 'k') act({ do: 'move', by: -1 })
      else if (press.input === 'r') change(() => 'started', run)
      else if (press.input === 'e') change(({ enabled }) => (enabled ? 'disabled' : 'enabled'), toggle)
      else if (press.input === 'c') end(wasAsked)
    }
  })
}

/**
 * Shows the tasks, refreshed every second: r runs the selected one, c c cancels its run, e enables or
 * disables it, q ends.
 */
export function TasksScreen({ color, look, ...changes }: TasksScreenProps) {
  const [state, act] = useTasks(look)
  const { columns, rows } = useScreenSize()
  const position = positionOf(state)
  const chosen = state.tasks?.[position]
  useTaskKeys(chosen, act, changes)

  const shown = Math.max(1, rows - otherLines)
  const from = Math.max(0, Math.min(position - Math.floor(shown / 2), (state.tasks?.length ?? 0) - shown))
  return (
    <Column width={columns}>
      <Text dimColor wrap="truncate">
        {`  ${rowOf(['NAME', 'NEXT', 'LAST'], columns)}`}
      </Text>
      {state.tasks?.slice(from, from + shown).map(task => (
        <TaskRow key={task.id} task={task} isChosen={task === chosen} columns={columns} color={color} />
      ))}
      {state.tasks?.length === 0 && <Text>No tasks. Next: memory tasks add</Text>}
      <Text dimColor wrap="truncate">
        {chosen ? `${chosen.cronExpression}, ${startedBy(chosen).program}: ${plainLine(chosen.prompt)}` : ' '}
      </Text>
      <Text wrap="truncate" {...tint(color, 'yellow')}>
        {plainLine(state.notice) || ' '}
      </Text>
      <Text dimColor wrap="truncate">
        r run · c cancel run · e enable/disable · ↑↓ move · q quit
      </Text>
    </Column>
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

/** Formats the columns of a row; the name takes the remaining width. */
function rowOf([name, next, last]: readonly [string, string, string], columns: number): string {
  const nextWidth = 10
  const lastWidth = 18
  return `${padText(name, Math.max(10, columns - nextWidth - lastWidth - 6))}  ${padText(next, nextWidth)}  ${last}`
}

/** Returns the state after one refresh or key. */
function reduceTasks(state: TasksState, action: TasksAction): TasksState {
  if (action.do === 'notice') return { ...state, notice: action.notice }
  if (action.do === 'refreshed') {
    const { tasks } = action
    const isThere = tasks.some(({ id }) => id === state.chosen)
    return { ...state, tasks, chosen: isThere ? state.chosen : tasks[0]?.id }
  }
  const { tasks = [] } = state
  const at = Math.max(0, positionOf(state) + action.by)
  return { ...state, chosen: tasks[Math.min(at, tasks.length - 1)]?.id, notice: '' }
}

/** Returns the index of the selected task. */
function positionOf({ tasks = [], chosen }: TasksState): number {
  return Math.max(
    0,
    tasks.findIndex(({ id }) => id === chosen),
  )
}
