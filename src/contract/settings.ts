import { z } from 'zod'

const port = z.int().min(0).max(65_535)
const milliseconds = z.int().min(0).max(2_147_483_647)

export const embeddingSettings = z.object({
  provider: z.enum(['local', 'openai', 'ollama', 'none']).default('local'),
  /** Model name; its default depends on the provider. */
  model: z.string().min(1).max(200).optional(),
  dimensions: z.int().min(1).max(4096).optional(),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** A secret reference (`env:NAME`), never the key itself. */
  apiKey: z
    .string()
    .min(1)
    .max(200)
    .regex(
      /^env:[A-Za-z_][A-Za-z0-9_]*$/,
      'must be a reference such as env:OPENAI_API_KEY, not the key itself',
    )
    .optional(),
  queryPrefix: z.string().max(200).optional(),
  documentPrefix: z.string().max(200).optional(),
  /** Folder with a local model (config.json, tokenizer.json, onnx/model*.onnx). */
  modelPath: z.string().min(1).max(4096).optional(),
  /** A save waits this long for its vector, then a job makes it. */
  deadlineMs: milliseconds.default(300),
  /** The local model leaves memory after this long without use. */
  idleUnloadMs: milliseconds.default(300_000),
})

/** `agent.yaml`. Every key has a default: the file is optional (contract, settings keys). Unknown keys are kept and reported by doctor. */
export const settings = z.object({
  daemon: z
    .object({
      host: z.string().min(1).max(255).default('127.0.0.1'),
      port: port.default(3850),
      /** 0 never stops by itself. */
      idleTimeoutMs: milliseconds.default(1_800_000),
      logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    })
    .prefault({}),
  embedding: embeddingSettings.prefault({}),
  auth: z.object({ mode: z.enum(['local', 'team', 'hybrid']).default('local') }).prefault({}),
  memory: z
    .object({ pipelineV2: z.object({ mutationsFrozen: z.boolean().default(false) }).prefault({}) })
    .prefault({}),
})

export type Settings = z.infer<typeof settings>
export type EmbeddingSettings = Settings['embedding']
