import { render } from 'ink'
import { TasksScreen, type TasksScreenProps } from './tasks-screen.js'

/** Shows tasks on the terminal as they stand, until the person ends. */
export async function watchTasks(input: TasksScreenProps): Promise<void> {
  const screen = render(<TasksScreen {...input} />)
  await screen.waitUntilExit()
}
