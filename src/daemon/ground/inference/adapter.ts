/** One request to a model, independent of the provider. */
export interface ModelRequest {
  model: string
  instructions: string
  input: string
  maxOutputTokens: number
  /** Schema the server must enforce; undefined if the instructions describe it instead. */
  form: { name: string; schema: Record<string, unknown> } | undefined
}

/** Usage counted by the server. */
export interface ReportedUsage {
  /** All input tokens, including cached ones. */
  inputTokens: number
  outputTokens: number
  /** Null if not reported. */
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  /** US dollars. */
  cost: number | undefined
}

/** A reply whose answer is not validated yet. */
export interface ModelReply {
  /** JSON parsed by the server; undefined if the answer is in `text`. */
  value: unknown
  text: string
  /** `cut`: the output limit was reached; `declined`: the model or server refused to answer. */
  end: 'whole' | 'cut' | 'declined'
  usage: ReportedUsage | undefined
}

/** Translates requests and replies for one kind of server. */
export interface Adapter {
  /** Path below the base address. */
  path: string
  defaultBaseUrl: string
  /** True if the default address requires a key. */
  needsKey: boolean
  headers(key: string | undefined): Record<string, string>
  body(request: ModelRequest): object
  /** Undefined if this is not a reply of such a server. */
  read(reply: unknown): ModelReply | undefined
}
