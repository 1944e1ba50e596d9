import { colorsFor } from './output.js'

export interface Spinner {
  /** Changes the text. */
  say(text: string): void
  /** Clears the line; safe to call twice. */
  stop(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const quietMs = 300
const frameMs = 80

/**
 * Shows on stderr what the command waits for. It appears only on a terminal and after 300 ms, so that fast
 * commands do not flicker, and does not keep the process alive.
 */
export function startSpinner(text: string, stream: NodeJS.WriteStream = process.stderr): Spinner {
  if (!stream.isTTY) return { say: () => {}, stop: () => {} }
  const colors = colorsFor(stream)
  const state = { text, frame: 0, shown: false, interval: undefined as NodeJS.Timeout | undefined }
  const draw = () => {
    state.shown = true
    stream.write(`\r\u001b[K${colors.cyan(frames[state.frame++ % frames.length]!)} ${state.text}`)
  }
  const delay = setTimeout(() => {
    draw()
    state.interval = setInterval(draw, frameMs).unref()
  }, quietMs).unref()
  return {
    say: next => {
      state.text = next
    },
    stop: () => {
      clearTimeout(delay)
      clearInterval(state.interval)
      if (state.shown) stream.write('\r\u001b[K')
      state.shown = false
    },
  }
}

/**
 * Returns a signal that aborts on Ctrl-C, or once stdout is closed (`| head -1`), to end a followed output. A
 * closed pipe is noticed one turn of the event loop after the first lost line.
 */
export function signalOfReader(): AbortSignal {
  const life = new AbortController()
  const leave = () => life.abort()
  process.once('SIGINT', leave)
  process.stdout.once('error', leave)
  return life.signal
}
