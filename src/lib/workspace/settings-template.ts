/**
 * The agent.yaml that `memory init` writes: every setting with its default. Settings without a default appear
 * as comments.
 */
export const settingsTemplate = `# Settings of this memory-service workspace. Every key is optional; the values here are the defaults.
# The daemon reloads this file when it changes; host and port need a restart (memory daemon restart).
# Change a value here, or with: memory config set daemon.port 4000

daemon:
  # Address to listen on. SERVICE_HOST takes precedence. Any address except loopback is open to the network.
  host: 127.0.0.1
  # Without a port it is 3850, or the next free one if another program has it.
  # 0 uses any free port. SERVICE_PORT takes precedence.
  # port: 3850
  # The daemon exits after this idle time in milliseconds; 0 never.
  idleTimeoutMs: 1800000
  # debug, info, warn or error; SERVICE_LOG_LEVEL takes precedence, and a restart applies it.
  logLevel: info

# A server for the memories, instead of the file of the workspace (docs/postgres.md). A restart applies it.
storage:
  # An address, or the reference of a secret that is one: its name, or env:NAME.
  # postgres: MEMORY_DATABASE
  # Its schema for this workspace; each workspace of a database has its own.
  schema: memory
  # true lets several daemons serve the schema; all of them need it.
  shared: false

team:
  # Of several daemons, the one (SERVICE_NODE_NAME) that does works with files; '' for any.
  node: ''

embedding:
  # local: a sentence model on this machine, by default that of this package; static: the word model of this package;
  # openai: any OpenAI-compatible URL; ollama; none: keyword recall only. Default: local, with little memory static.
  # provider: static
  # Name of the model; the default depends on the provider. memory embedding pull downloads one from the hub.
  # model: Xenova/bge-small-en-v1.5
  # Length of its vectors, if the model does not report it.
  # dimensions: 384
  # Address of the openai or ollama server.
  # baseUrl: http://127.0.0.1:11434
  # A reference to the key, never the key itself: the name of a secret (memory secrets set OPENAI_API_KEY), or env:NAME.
  # apiKey: OPENAI_API_KEY
  # Text before each query and each memory, for models that need one.
  # queryPrefix: "query: "
  # documentPrefix: "passage: "
  # Folder with a model of your own: config.json, tokenizer.json, onnx/model*.onnx (memory embedding use PATH).
  # modelPath: /path/to/model
  # Milliseconds that a save waits for its vector; after that a job creates it.
  deadlineMs: 300
  # Milliseconds without use after which the local model is unloaded.
  idleUnloadMs: 300000

# A language model. Nothing is sent to it unless a provider is set here and a use is enabled below (recall.summary,
# recall.reranking, dreaming). docs/inference.md describes the data and the costs.
inference:
  # none; openai: any OpenAI-compatible URL; anthropic; ollama
  provider: none
  # model: llama3.2
  # Address of the server; default: the provider's own, for ollama this machine.
  # baseUrl: http://127.0.0.1:11434/v1
  # A reference to the key, never the key itself: the name of a secret, or env:NAME.
  # apiKey: ANTHROPIC_API_KEY
  # Maximum number of simultaneous requests.
  maxConcurrent: 2
  # US dollars per million tokens, to compute costs; cached tokens only if their price differs from input.
  # rates:
    # input: 3
    # output: 15
    # cacheRead: 0.3
    # cacheWrite: 3.75

auth:
  # local: no credential on this machine; team: always a credential; hybrid: a credential from other machines
  mode: local
  # true allows mode local on an address that other machines can reach, which gives them full access.
  openToNetwork: false
  # Users of this machine that mode local lets in without a key. own: programs that can read this workspace; any: all.
  # Default: your own on Linux, all on other systems.
  # localUsers: own
  # true lets administrators on other machines run programs here, which equals a shell.
  remoteAdminMayRun: false
  # Folders of this machine below which a credential may have files read, by its name; '*' is every credential.
  folders: {}
  # Where others reach this daemon, such as the address of a proxy with TLS.
  # publicUrl: https://memory.example.org
  # Modes team and hybrid: clients may log in over OAuth.
  oauth:
    enabled: true
  # An issuer of tokens that you have, instead of the daemon's own login; roles say whom it lets in.
  oidc:
    # issuer: https://login.example.org/realms/team
    # audience: https://memory.example.org
    checkScopes: true
    roleClaim: roles
    roles: {}
  # Lifetime of a signed token, and of a session after a login, in seconds.
  defaultTokenTtlSeconds: 604800
  sessionTokenTtlSeconds: 86400
  login:
    password:
      username: admin
      # Enables POST /api/auth/login; create it with memory auth hash-password. Never the password itself.
      # passwordHash: pbkdf2-sha256$...
    # Reserved: both return 501.
    sso:
      enabled: false
    saml:
      enabled: false
  # Maximum number of requests of one caller per window (milliseconds), in modes team and hybrid.
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

capture:
  # off captures only sessions that a rule includes (memory capture status).
  mode: on
  # Tools of sessions: off, names (files, commands, how they ended), full (also the ends of outputs).
  toolUse: names
  # Exclude or include by project, folder, branch or agent; the last rule that fits decides.
  rules: []
  # rules:
  #   - exclude: { folder: ~/clients/** }

memory:
  # isolated shows memories of other git branches only once they are merged.
  branches: shared
  # Expiry of the memories that agents save, by type: never, or days such as 30d.
  expiry: {}
  pipelineV2:
    # Background processing: enabled or not, shadow (results are recorded but not applied), paused.
    enabled: true
    shadowMode: false
    paused: false
    # Kill switch: true refuses every write; reads still work.
    mutationsFrozen: false
    # Anonymous usage events that stay on this machine (memory telemetry show).
    telemetryEnabled: true
  # MEMORY.md, the summary at the start of sessions.
  synthesis:
    # harness: claude-code
    model: projection
    # daily, weekly or on-demand
    schedule: daily
    max_tokens: 4000

# true: stores recall queries and their results as text on this machine for 30 days. memory telemetry recalls lists
# them, memory replay repeats them.
telemetry:
  memorySearchQaEnabled: false
  delivery:
    # Address to which events are sent; without it none are sent (docs/telemetry.md, 8).
    # url: https://collector.example.org/events
    intervalMs: 60000

# Dreaming: extracts facts about entities from past conversations and memories (memory dream status).
dreaming:
  enabled: true
  # hourly (by rules alone every five minutes), daily or on-demand
  schedule: hourly
  # true: also uses a language model; otherwise no tokens are spent.
  useProvider: false
  deadlineMs: 60000
  maxTokensPerPass: 50000
  maxTokensPerDay: 200000

capabilities:
  identity:
    # managed: hooks give agents their identity; passthrough and off: they do not
    mode: managed

# Context for coding agents.
context:
  # Most tokens of the text that a session starts with.
  tokens: 1200
  # on: a prompt also brings up to three memories that answer it, at most 150 tokens, each once a session.
  promptRecall: off

# Parts of that context.
hooks:
  sessionStart:
    # Maximum number of memories.
    recallLimit: 10
    # Summaries of earlier sessions of the project.
    sessionContinuityMaxEntries: 15
    sessionContinuityMaxTokens: 3000
    sessionContinuityEntryMaxTokens: 250
    includeIdentity: true
    # MEMORY.md
    includeRecentContext: true
    # 0 ranks memories by importance alone, 1 by recency alone.
    recencyBias: 0.7
    # Most tokens of the text in place of context.tokens.
    # maxInjectTokens: 1200
  userPromptSubmit:
    # Minimum score of a current attribute for which an entity named in a prompt is described.
    minScore: 0.6
    maxInjectChars: 2000
  preCompaction:
    includeRecentMemories: true
    memoryLimit: 5
    # Replaces the default guidelines for summaries.
    # summaryGuidelines: Keep decisions and open questions.
  compaction:
    # Readers of compaction summaries and native notes. global: all agents that share memories; private: only their own
    visibility: global

mcp:
  # Tools that MCP clients list. core: the essential ones; standard; all: also older names and memory_history.
  tools: standard

# Use of the knowledge graph in recall.
recall:
  # true: facts about entities lead to their memories. Slower, no measured benefit.
  claims: false
  # true: links between entities lead to memories one or two steps away. Slower, no measured benefit.
  traversal: false
  # true: adds a description of an entity named in the query. Slower.
  cards: false
  summary:
    # true: the model writes the summary of an aggregate recall.
    useProvider: false
  reranking:
    # true: the model reorders the best results of every recall.
    useProvider: false
    # Milliseconds that a recall waits for the model; after that its own order is used.
    deadlineMs: 800
  # Token limit per day (UTC) for each of the two.
  maxTokensPerDay: 200000

documents:
  # true: also allows pages from this machine and private networks.
  allowPrivateHosts: false

index:
  # Threads that share the index of a large store, 1 to 64 (docs/scale.md).
  threads: 1

sync:
  # true: keeps the encrypted files of other machines' syncs (docs/sync.md).
  relay: false
  # Megabytes of one such sync.
  relayMaxMb: 2048

git:
  # true: changes in the workspace are committed; autoSync also pulls and pushes. Run memory git init first.
  autoCommit: false
  autoSync: false
  # In seconds.
  syncInterval: 300
  remote: origin
  branch: main

backup:
  # false: no scheduled backups; memory backup create still creates one.
  enabled: true
  # Hours between two backups, and the number of backups to keep.
  intervalHours: 24
  keep: 7
  # Folder for backups; default: backups in the workspace. Another disk protects against the loss of this one.
  # folder: /mnt/other-disk/memory-backups
  # Further public keys of age that open the backups. The workspace needs a key itself: memory key create.
  recipients: []
  # recipients: [age1...]

repair:
  # Milliseconds between two calls of an expensive repair, and maximum calls of one repair per hour.
  cooldownMs: 5000
  callsPerHour: 600

update:
  # true: checks for a new release every checkInterval. If this and autoInstall are false, only memory update
  # looks for releases.
  autoCheck: false
  # true: installs new releases; a restart activates them.
  autoInstall: false
  # In seconds, 300 to 604800.
  checkInterval: 21600
  # stable or nightly
  channel: stable
  # Address of the release description. Without it and trustRegistry no release is looked for.
  # manifestUrl: https://releases.example.org/memory-service.json
  # true: takes the package of this name in npm's registry; nothing proves who published it.
  trustRegistry: false
  # Ed25519 public key of its signature, 32 bytes in base64.
  # manifestKey: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=

messages:
  # true: messages may also be relayed to servers on this machine and in private networks.
  allowPrivateHosts: false

tasks:
  # Time limit of a task run in milliseconds; longer runs are stopped.
  runtimeLimitMs: 600000
  # Maximum number of simultaneous runs, 1 to 3.
  maxConcurrent: 3
  # Time zone of schedules; default: the machine's.
  # timezone: Europe/Berlin

sources:
  chatguild:
    # The Discord API; it also provides the address of the gateway.
    apiBaseUrl: https://discord.com/api/v10
  coderepo:
    # The GitHub REST API; for an enterprise server https://HOST/api/v3.
    apiBaseUrl: https://api.github.com

# Named overrides of session start, and the harnesses that use them:
# contextProfiles: { brief: { sessionStart: { recallLimit: 3, maxInjectTokens: 800, identity: { files: [{ path: IDENTITY.md, maxChars: 500 }] } } } }
# harnessProfiles: { cursor: brief }

# Folder -> project, to override the repository.
# projects: { /home/me/work/shop: shop }
`
