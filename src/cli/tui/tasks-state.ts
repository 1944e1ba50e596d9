import type { Task } from '../agents/tasks/task-text.js'

export interface TasksState {
  tasks: readonly Task[] | undefined
  /** Of the chosen one: it stays chosen when others come and go. */
  chosen: string | undefined
  /** One line about the last key or look, '' when there is nothing to say. */
  notice: string
}

export type TasksAction =
  | { do: 'seen'; tasks: readonly Task[] }
  | { do: 'move'; by: number }
  | { do: 'told'; notice: string }

export const noTasksYet: TasksState = { tasks: undefined, chosen: undefined, notice: '' }

/** The state after one look or key. */
export function reduceTasks(state: TasksState, action: TasksAction): TasksState {
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
export function positionOf({ tasks = [], chosen }: TasksState): number {
  return Math.max(
    0,
    tasks.findIndex(({ id }) => id === chosen),
  )
}
