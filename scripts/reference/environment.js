/** Environment variables of the CLI, for the reference. */
export const environment = [
  ['SERVICE_WORKSPACE', 'workspace folder; default ~/.memory-service'],
  ['SERVICE_HOST', 'bind address of a started daemon; default 127.0.0.1'],
  ['SERVICE_PORT', 'port of a started daemon; default 3850 or the next free one, 0 for any free port'],
  [
    'SERVICE_DEFAULT_PORT',
    'port to try first instead of 3850 if neither agent.yaml nor SERVICE_PORT has one',
  ],
  ['SERVICE_DAEMON_URL', 'origin of a daemon that is managed elsewhere; commands never start or replace it'],
  ['SERVICE_API_KEY, SERVICE_TOKEN', 'credential sent to the daemon'],
  ['SERVICE_NETWORK_DISK', '1: a started daemon may make a workspace on a 9p or SMB disk'],
  ['SERVICE_SYNC_MANUAL', '1: a started daemon exchanges changes only at memory sync now'],
  ['SERVICE_NO_AUTOSTART', '1: commands never start or replace a daemon, except memory daemon start'],
  ['SERVICE_EMBEDDING_DOWNLOAD', '0: never download a model'],
  ['SERVICE_EMBEDDING_PROVIDER', 'embedding.provider of a started daemon where agent.yaml names none'],
  [
    'SERVICE_INDEX_THREAD',
    'auto: an index of 20,000 or more memories gets its own thread; always; never (default auto)',
  ],
  ['SKILLS_API_URL', 'skill registry of a started daemon; default https://skills.sh'],
  ['NO_COLOR, FORCE_COLOR', 'disable colours, force colours without a terminal'],
]
