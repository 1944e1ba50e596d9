import type { z } from 'zod'
import type { Address, Reply, Request } from '../../contract/api.js'
import type { BundledPlugin } from '../../contract/ground/plugin-capabilities.js'
import type { Remedies } from './tool-failure.js'

/** Calls one endpoint of the daemon. @throws ClientError. */
export type Call = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>

/** What a tool gives back: text for a model, and the same as data. */
export interface ToolReply<Output = unknown> {
  text: string
  data: Output
}

/** One tool as this server offers it; only server.ts knows how the protocol's SDK says the same. */
export interface Tool {
  name: string
  title: string
  /** Tells a model when to use it. */
  description: string
  /** `core` tools are the ones that a session can't do without; `--tools core` offers nothing else. */
  tier: 'core' | 'extra'
  effect: Effect
  /** The plugin that it belongs to: it is not offered while that is off (plugins.md 6). */
  plugin?: BundledPlugin
  input: z.ZodType
  output: z.ZodType
  /** What to do about errors that mean something of its own for this tool. */
  remedies?: Remedies
  run(call: Call, input: unknown): Promise<ToolReply>
}

/** What a call does to the store. */
export type Effect =
  | 'reads'
  /** Repeating the call changes nothing more. */
  | 'adds'
  /** Takes something away. */
  | 'removes'
  /** Does anything, also outside of this machine, and again with each call. */
  | 'runs'

interface Definition<I extends z.ZodType, O extends z.ZodType> extends Omit<Tool, 'run'> {
  input: I
  output: O
  run(call: Call, input: z.infer<I>): Promise<ToolReply<z.input<O>>>
}

/** A tool whose code is typed by its schemas. */
export function tool<I extends z.ZodType, O extends z.ZodType>(definition: Definition<I, O>): Tool {
  return { ...definition, run: (call, input) => definition.run(call, input as z.infer<I>) }
}
