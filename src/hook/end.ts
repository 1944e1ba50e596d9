/** What the threads of Node do for a script: names are looked up, files are read. */
const threaded = new Set(['GetAddrInfoReqWrap', 'GetNameInfoReqWrap', 'FSReqCallback', 'FSReqPromise'])
/** A file that is being closed takes no longer. */
const settleMs = 200
const lookMs = 10

/**
 * Ends the process. Node waits at its end for what its threads are in, such as the look-up of a name that nobody
 * answers: where that does not end soon only a signal ends the process.
 */
export function endHook(code: number, waitMs = settleMs): void {
  if (!process.getActiveResourcesInfo().some(name => threaded.has(name))) process.exit(code)
  if (waitMs <= 0) process.kill(process.pid, 'SIGKILL')
  setTimeout(endHook, lookMs, code, waitMs - lookMs)
}
