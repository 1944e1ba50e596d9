import type { TestDaemon } from './daemon.js'

interface HookReply {
  status: number
  text: string
  note: string | null
  type: string | null
}

/** Calls a hook like an agent: with its own JSON, or any other text. */
export async function harnessHook(
  { url }: Pick<TestDaemon, 'url'>,
  path: string,
  input: object | string,
  headers: Record<string, string> = {},
): Promise<HookReply> {
  const reply = await fetch(`${url}/api/hooks/harness/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof input === 'string' ? input : JSON.stringify(input),
  })
  const { status } = reply
  const [note, type] = ['x-service-hook-note', 'content-type'].map(name => reply.headers.get(name))
  return { status, text: await reply.text(), note: note ?? null, type: type ?? null }
}
