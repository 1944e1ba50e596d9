import { render, useApp } from 'ink'
import { type ReactNode, useEffect } from 'react'

/**
 * Shows a screen that ends with a yes or a no. @param screen calls what it is given once.
 * @returns false for no and for Ctrl-C.
 */
export async function answerOf(screen: (onEnd: (isYes: boolean) => void) => ReactNode): Promise<boolean> {
  const ended = { isYes: false }
  const shown = render(
    screen(isYes => {
      ended.isYes = isYes
    }),
  )
  await shown.waitUntilExit()
  return ended.isYes
}

/** Ends the screen once there is an answer. */
export function useAnswer(answer: boolean | undefined, onEnd: (isYes: boolean) => void): void {
  const { exit } = useApp()
  useEffect(() => {
    if (answer === undefined) return
    onEnd(answer)
    exit()
  }, [answer, onEnd, exit])
}
