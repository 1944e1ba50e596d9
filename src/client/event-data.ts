/**
 * The data of server-sent events, parsed as JSON, until their stream ends.
 * @param open of a reply of `text/event-stream`; what it rejects with is thrown.
 */
export async function* eventData<T>(open: Promise<AsyncIterable<Buffer>>): AsyncGenerator<T> {
  const { createParser } = await import('eventsource-parser')
  const events: T[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as T) })
  const decoder = new TextDecoder()
  for await (const chunk of await open) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}
