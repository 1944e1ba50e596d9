/**
 * Aborts by Ctrl-C, or once nobody reads stdout any more (`| head -1`): what follows something ends then. A reader who
 * left is known a turn of the event loop after the line that he did not get.
 */
export function whileRead(): AbortSignal {
  const life = new AbortController()
  const leave = () => life.abort()
  process.once('SIGINT', leave)
  process.stdout.once('error', leave)
  return life.signal
}
