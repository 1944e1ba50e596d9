/** Yields the lines of a streamed reply, without their ends. */
export async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/)
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Yields the JSON values of a reply with one on each line. */
export async function* jsonLines<T>(response: Response): AsyncGenerator<T> {
  for await (const line of linesOf(response)) if (line !== '') yield JSON.parse(line) as T
}

/** Yields the data of server-sent events. The service writes each on one line. */
export async function* eventsOf<T>(response: Response): AsyncGenerator<T> {
  for await (const line of linesOf(response))
    if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length)) as T
}
