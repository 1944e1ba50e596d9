/**
 * This folder, `src/lib`, is for code without product logic: time, concurrency, files, network, text,
 * threads and V8.
 *
 * `workspace/` is its one exception. It knows the files of a workspace (this file names them all), the
 * settings file, the registration of the daemon, and how passwords and tokens are hashed. It imports nothing
 * else of `src`, so everything may use it. It knows no endpoint, no table and no use case. The web page uses
 * the files of `src/lib` that need no Node.
 */

import { join, resolve, sep } from 'node:path'
import { homeFolder, homeIfKnown } from '../files/folders.js'

/** Every file and folder of a workspace (rules.md#process-and-files). All paths are absolute. */
export interface WorkspacePaths {
  root: string
  settings: string
  /** Security settings that stay in force until a person accepts those of agent.yaml. */
  settingsRecord: string
  /** An agent.yaml that settings of a team replaced. */
  settingsFormer: string
  /** MEMORY.md: the rendered summary of everything. */
  summary: string
  /** IDENTITY.md: the agent's identity. */
  identity: string
  memoryDir: string
  database: string
  daemonDir: string
  registration: string
  /** Instance id of the workspace, which only its owner can read. */
  instance: string
  startLock: string
  instanceLock: string
  logsDir: string
  log: string
  launchLog: string
  models: string
  /** Optional native runtime of models. */
  runtime: string
  snapshot: string
  transcriptSnapshot: string
  /** Transcript chunks that do not fit into memory, in the format of the index. */
  transcriptSegments: string
  artifactSnapshot: string
  authSecret: string
  /** Logins at daemons elsewhere. */
  logins: string
  /** Encrypted secret store. */
  secretsDir: string
  /** Time of each secret's last use, by name. */
  secretUses: string
  /** Enabled password managers; their tokens are in the secret store. */
  secretProviders: string
  /** Hook inputs that arrived while no daemon ran. */
  hookSpool: string
  /** Uses of tools in running sessions, as hooks note them. */
  toolQueue: string
  /** Received transcripts that wait to be captured. */
  captures: string
  /** Source snapshots during their upload. */
  snapshots: string
  /** Uploads in progress. */
  uploads: string
  /** Files of transcript imports, a folder for each import. */
  imports: string
  /** Ids of the last list on each terminal. */
  listedRows: string
  /** Day on which `memory recall` last explained why it uses keywords only. */
  recallNote: string
  /** Anonymous events, one per line. */
  telemetryEvents: string
  /** Exists once the telemetry notice was shown at a terminal. */
  telemetryTold: string
  /** Changes that `memory connect` made to harness files, with the previous contents. */
  connections: string
  /** Installed skills, a folder each. */
  skills: string
  /** Skills during installation and removal. */
  skillStaging: string
  /** The user's own program that regenerates harness files, if there is one. */
  harnessScript: string
  /** Processes started by the daemon, one file per pid. */
  children: string
  /** Manifests of additional plugins, a folder each. */
  plugins: string
  /** Enabled plugins and their grants. */
  pluginRegistry: string
  /** Plugin audit events, one per line. */
  pluginAudit: string
  /** Latest known releases of this program. */
  updateRecord: string
  /** Temporary folder for creating and verifying backups. */
  backupWork: string
  /** Incoming files of a restore, and the previous workspace. */
  restore: string
  /** A move of the memories: its note, the new file while it is filled, the old one after it. */
  storageMove: string
  storageMoveNote: string
  /** Exists once somebody cancelled the move. */
  storageMoveCancel: string
  /** Git repositories that the sync has copied from its place. */
  syncClones: string
  /** Encrypted files that other machines keep here, a folder each box. */
  syncRelay: string
}

/**
 * @param workspace a folder, `~` and relative paths allowed; defaults to `SERVICE_WORKSPACE`, then
 * `~/.memory-service`.
 */
export function workspacePaths(workspace?: string): WorkspacePaths {
  const root = resolve(expandHome(workspace || process.env.SERVICE_WORKSPACE || '~/.memory-service'))
  const [memoryDir, daemonDir] = [below(root, 'memory'), below(root, '.daemon')] as const
  const logsDir = below(daemonDir, 'logs')
  return {
    root,
    settings: below(root, 'agent.yaml'),
    settingsRecord: below(daemonDir, 'settings-record.json'),
    settingsFormer: below(daemonDir, 'agent.yaml.former'),
    summary: below(root, 'MEMORY.md'),
    identity: below(root, 'IDENTITY.md'),
    memoryDir,
    database: below(memoryDir, 'memories.db'),
    daemonDir,
    registration: below(daemonDir, 'daemon.json'),
    instance: below(daemonDir, 'instance'),
    startLock: below(daemonDir, 'start.lock'),
    instanceLock: below(daemonDir, 'instance.lock'),
    logsDir,
    log: below(logsDir, 'daemon.log'),
    launchLog: below(logsDir, 'launch.log'),
    models: below(daemonDir, 'models'),
    runtime: below(daemonDir, 'runtime'),
    snapshot: below(daemonDir, 'index.snapshot'),
    transcriptSnapshot: below(daemonDir, 'transcripts.snapshot'),
    transcriptSegments: below(daemonDir, 'transcripts.segments'),
    artifactSnapshot: below(daemonDir, 'artifacts.snapshot'),
    authSecret: below(daemonDir, 'auth-secret'),
    logins: below(daemonDir, 'logins.json'),
    secretsDir: below(root, '.secrets'),
    secretUses: below(daemonDir, 'secret-uses.json'),
    secretProviders: below(root, '.secrets', 'providers.json'),
    hookSpool: below(daemonDir, 'hook-spool'),
    toolQueue: below(daemonDir, 'tool-uses'),
    captures: below(daemonDir, 'captures'),
    snapshots: below(daemonDir, 'source-snapshots'),
    uploads: below(daemonDir, 'uploads'),
    imports: below(daemonDir, 'imports'),
    listedRows: below(daemonDir, 'listed-rows'),
    recallNote: below(daemonDir, 'recall-note'),
    telemetryEvents: below(daemonDir, 'telemetry', 'events.jsonl'),
    telemetryTold: below(daemonDir, 'telemetry', 'told'),
    connections: below(daemonDir, 'connections'),
    skills: below(root, 'skills'),
    skillStaging: below(daemonDir, 'skill-staging'),
    harnessScript: below(root, 'scripts', 'generate-harness-configs.py'),
    children: below(daemonDir, 'children'),
    plugins: below(root, 'plugins'),
    pluginRegistry: below(daemonDir, 'plugins', 'registry.json'),
    pluginAudit: below(daemonDir, 'plugins', 'audit-v1.ndjson'),
    updateRecord: below(daemonDir, 'update.json'),
    backupWork: below(daemonDir, 'backup-work'),
    restore: below(daemonDir, 'restore'),
    storageMove: below(daemonDir, 'storage-move'),
    storageMoveNote: below(daemonDir, 'storage-move', 'move.json'),
    storageMoveCancel: below(daemonDir, 'storage-move', 'cancel'),
    syncClones: below(daemonDir, 'sync'),
    syncRelay: below(daemonDir, 'relay'),
  }
}

/** Like `join`, without normalization: forty calls of it would be noticeable in the run time of a hook. */
function below(folder: string, ...names: string[]): string {
  return `${folder.endsWith(sep) ? folder : folder + sep}${names.join(sep)}`
}

/** Writes a path below the home folder with `~`, as people read it. */
export function shortenHome(path: string): string {
  const home = homeIfKnown()
  return home !== undefined && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}

export function expandHome(path: string): string {
  if (path === '~') return homeFolder()
  return path.startsWith('~/') || path.startsWith('~\\') ? join(homeFolder(), path.slice(2)) : path
}
