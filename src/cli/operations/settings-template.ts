/**
 * The agent.yaml that `memory init` writes: every setting with its default. Settings without a default appear
 * as comments.
 */
export const settingsTemplate = `# Settings of this memory-service workspace. Every key is optional; the values here are the defaults.
# The daemon reads the file again when it changes; host and port need a restart (memory daemon restart).
# Change a value here, or with: memory config set daemon.port 4000

daemon:
  # Address to bind to. SERVICE_HOST wins. Anything but a loopback address opens the memory to the network.
  host: 127.0.0.1
  # 0 takes any free port. SERVICE_PORT wins.
  port: 3850
  # The daemon ends by itself after this long without work, in milliseconds; 0 never.
  idleTimeoutMs: 1800000
  # debug, info, warn or error
  logLevel: info

embedding:
  # static: the model of this package; local: a sentence model on this machine; openai: any OpenAI-compatible URL; ollama;
  # none: recall by keyword only. Without it: a sentence model that was fetched (memory embedding pull), else static.
  # provider: static
  # Name of the model; its default depends on the provider.
  # model: Xenova/all-MiniLM-L6-v2
  # Length of its vectors, when the model does not tell.
  # dimensions: 384
  # Where openai and ollama are asked.
  # baseUrl: http://127.0.0.1:11434
  # A reference to the key, never the key itself: the name of a secret (memory secrets set OPENAI_API_KEY), or env:NAME.
  # apiKey: OPENAI_API_KEY
  # Text put before a question and before a memory, for models that want one.
  # queryPrefix: "query: "
  # documentPrefix: "passage: "
  # Folder with a model of your own: config.json, tokenizer.json, onnx/model*.onnx (memory embedding use PATH).
  # modelPath: /path/to/model
  # A save waits this long for its vector, in milliseconds; then a job makes it.
  deadlineMs: 300
  # The local model leaves memory after this long without use, in milliseconds.
  idleUnloadMs: 300000

# A language model that may be asked; nothing is sent to one unless a provider is set here and a use is switched on
# below (recall.summary, recall.reranking). docs/inference.md says what goes where and what it costs.
inference:
  # none; openai: any OpenAI-compatible URL; anthropic; ollama
  provider: none
  # model: llama3.2
  # Where it is asked; without one the provider's own address, of ollama this machine.
  # baseUrl: http://127.0.0.1:11434/v1
  # A reference to the key, never the key itself: the name of a secret, or env:NAME.
  # apiKey: ANTHROPIC_API_KEY
  # Questions at the same time.
  maxConcurrent: 2
  # US dollars for a million tokens, so that costs can be told; of tokens in a cache where that differs from input.
  # rates:
    # input: 3
    # output: 15
    # cacheRead: 0.3
    # cacheWrite: 3.75

auth:
  # local: everybody on this machine; team: a credential always; hybrid: a credential from other machines
  mode: local
  # true lets mode local listen on an address that other machines reach: whoever reaches it may do everything.
  openToNetwork: false
  # How long a signed token, and a session after a login, are valid, in seconds.
  defaultTokenTtlSeconds: 604800
  sessionTokenTtlSeconds: 86400
  login:
    password:
      username: admin
      # Enables POST /api/auth/login; memory auth hash-password prints it. Never the password itself.
      # passwordHash: pbkdf2-sha256$...
    # Reserved: both answer 501.
    sso:
      enabled: false
    saml:
      enabled: false
  # Requests of one caller in any window of that length (milliseconds), in modes team and hybrid.
  rateLimits:
    forget:
      windowMs: 60000
      max: 30
    modify:
      windowMs: 60000
      max: 60
    batchForget:
      windowMs: 60000
      max: 5
    forceDelete:
      windowMs: 60000
      max: 3
    admin:
      windowMs: 60000
      max: 10
    login:
      windowMs: 60000
      max: 5
    inferenceExplain:
      windowMs: 60000
      max: 120
    inferenceExecute:
      windowMs: 60000
      max: 20
    inferenceGateway:
      windowMs: 60000
      max: 30
    recallLlm:
      windowMs: 60000
      max: 60

memory:
  pipelineV2:
    # What background work draws from what was said: off, or written down and not applied, or standing still.
    enabled: true
    shadowMode: false
    paused: false
    # The kill switch: true refuses every write, reads go on.
    mutationsFrozen: false
    # Anonymous events of use that stay on this machine (memory telemetry show).
    telemetryEnabled: true
  # MEMORY.md, the summary that sessions start with.
  synthesis:
    # harness: claude-code
    model: projection
    # daily, weekly or on-demand
    schedule: daily
    max_tokens: 4000

# Keeps the questions of recalls and what they gave, with their words, on this machine for 30 days:
# memory telemetry recalls shows them, memory replay asks them again.
telemetry:
  memorySearchQaEnabled: false
  delivery:
    # Events are sent to this address, and to none without it (docs/telemetry.md, 8).
    # url: https://collector.example.org/events
    intervalMs: 60000

# Reads what was said again and draws from it what is known of entities (memory dream).
dreaming:
  enabled: true
  # hourly, daily or on-demand
  schedule: hourly
  # Asks a language model as well; without it no token is spent.
  useProvider: false
  deadlineMs: 60000
  maxTokensPerPass: 50000
  maxTokensPerDay: 200000

capabilities:
  identity:
    # managed: hooks tell agents who they are; passthrough and off: they do not
    mode: managed

# What hooks put into the context of an agent's session. Tokens are counted as four characters each.
hooks:
  sessionStart:
    # Memories at most.
    recallLimit: 10
    # What earlier sessions of the project did.
    sessionContinuityMaxEntries: 15
    sessionContinuityMaxTokens: 3000
    sessionContinuityEntryMaxTokens: 250
    includeIdentity: true
    # MEMORY.md
    includeRecentContext: true
    # 0 ranks memories by importance alone, 1 by recency alone.
    recencyBias: 0.7
    # Hard budget of everything together; harnesses cut longer texts.
    maxInjectTokens: 2400
  userPromptSubmit:
    # An entity that a prompt names is told of when one of its current attributes scores as much.
    minScore: 0.6
    maxInjectChars: 2000
  preCompaction:
    includeRecentMemories: true
    memoryLimit: 5
    # Replaces the guidelines that a summary is asked for by.
    # summaryGuidelines: Keep decisions and open questions.
  compaction:
    # Who reads compaction summaries and native notes. global: every agent that shares memories; private: their own alone
    visibility: global

# What is known of entities, beside the words of a question.
recall:
  # Claims lead to the memories that say them: slower, and not known to find more.
  claims: false
  # Links lead to memories about what is one or two steps away: slower, and not known to find more.
  traversal: false
  # A named entity is told of in a row beside the memories: slower.
  cards: false
  summary:
    # true: the summary of an aggregate recall is asked of the model.
    useProvider: false
  reranking:
    # true: every recall asks the model for the order of its best rows.
    useProvider: false
    # A recall waits this long for that, in milliseconds; then its own order stays.
    deadlineMs: 800
  # Tokens of each of the two a day (UTC).
  maxTokensPerDay: 200000

documents:
  # true: pages may be fetched from this machine and private networks too.
  allowPrivateHosts: false

git:
  # true: what has changed in the workspace is committed, or committed, pulled and pushed (memory git init comes first).
  autoCommit: false
  autoSync: false
  # In seconds.
  syncInterval: 300
  remote: origin
  branch: main

backup:
  # false: none by the clock; memory backup create makes one at any time.
  enabled: true
  # Between two, in hours; and how many of them are kept.
  intervalHours: 24
  keep: 7
  # Where they are; without it backups in this folder. Another disk survives the loss of this one.
  # folder: /mnt/other-disk/memory-backups

repair:
  # Milliseconds between two calls of a repair that costs much, and calls of one repair in an hour.
  cooldownMs: 5000
  callsPerHour: 600

update:
  # true: looks for a new release every checkInterval. Without it, and without autoInstall, nobody is asked
  # before memory update is run.
  autoCheck: false
  # true: installs what it finds; a restart activates it.
  autoInstall: false
  # In seconds, 300 to 604800.
  checkInterval: 21600
  # stable or nightly
  channel: stable
  # Where releases are described; without it the registry that npm is set to.
  # manifestUrl: https://releases.example.org/memory-service.json
  # Ed25519 key that the description is signed with, its 32 bytes in base64.
  # manifestKey: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=

messages:
  # true: messages may be relayed to servers on this machine and in private networks too.
  allowPrivateHosts: false

tasks:
  # What a run of a task may take, in milliseconds; then it is ended.
  runtimeLimitMs: 600000
  # Tasks that run at a time, 1 to 3.
  maxConcurrent: 3
  # Of schedules; the machine's unless given.
  # timezone: Europe/Berlin

sources:
  chatguild:
    # The API of Discord; its gateway is where that says.
    apiBaseUrl: https://discord.com/api/v10
  coderepo:
    # The REST API of GitHub; of an enterprise server https://HOST/api/v3.
    apiBaseUrl: https://api.github.com

# Overrides of session start by name, and the harnesses that use them:
# contextProfiles: { brief: { sessionStart: { recallLimit: 3, maxInjectTokens: 800, identity: { files: [{ path: IDENTITY.md, maxChars: 500 }] } } } }
# harnessProfiles: { cursor: brief }

# Folder -> project in it, where the repository should not decide.
# projects: { /home/me/work/shop: shop }
`
