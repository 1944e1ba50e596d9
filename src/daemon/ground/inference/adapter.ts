/** One request to a model, in our words. */
export interface ModelRequest {
  model: string
  instructions: string
  input: string
  maxOutputTokens: number
  /** The form of the answer that the server is asked to keep to; without one it is told in words. */
  form: { name: string; schema: Record<string, unknown> } | undefined
}

/** What a server counted; undefined where it does not say. */
export interface ReportedUsage {
  /** All of the input, that from caches included. */
  inputTokens: number
  outputTokens: number
  /** Null where it does not say. */
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  /** US dollars. */
  cost: number | undefined
}

/** A reply as it came: the answer is not checked yet. */
export interface ModelReply {
  /** JSON that the server made of it, or undefined: then it stands in `text`. */
  value: unknown
  text: string
  /** `cut`: it ran into the limit of output; `declined`: the model or the server would not. */
  end: 'whole' | 'cut' | 'declined'
  usage: ReportedUsage | undefined
}

/** How one kind of server is spoken to. */
export interface Adapter {
  /** Path below the base address. */
  path: string
  defaultBaseUrl: string
  /** Whether it answers without a key at its default address. */
  needsKey: boolean
  headers(key: string | undefined): Record<string, string>
  body(request: ModelRequest): object
  /** Undefined for what is no reply of such a server. */
  read(reply: unknown): ModelReply | undefined
}
