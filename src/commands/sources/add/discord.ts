import { Args, Flags } from '@oclif/core'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import type { Request } from '../../../contract/api.js'

type Body = NonNullable<Request<'POST /api/sources/chatguild'>['body']>

export default class SourcesAddDiscord extends SourceCommand {
  static override summary =
    'Add the channels of Discord servers, or the cache of the Discord app, as a source.'
  static override description =
    'A bot reads the servers: create one in the Discord developer portal, enable Message Content Intent, ' +
    'invite it with View Channels and Read Message History, store its token as a secret and name it with ' +
    '--token-ref. Mode rest reads once and on request; gateway-tail then stays connected; desktop-cache ' +
    'needs no token and reads the cache of the app. Nothing is written to Discord. Adding the same servers ' +
    'again updates their flags.'
  static override examples = [
    '<%= config.bin %> secrets set DISCORD_TOKEN && <%= config.bin %> sources add discord 81384788765712384 --token-ref DISCORD_TOKEN --wait',
    '<%= config.bin %> sources add discord 81384788765712384 --token-ref DISCORD_TOKEN --mode gateway-tail --channels general,help',
    '<%= config.bin %> sources add discord 81384788765712384 --token-ref DISCORD_TOKEN --since 2026-01-01 --attachment-text --members',
    '<%= config.bin %> sources add discord --mode desktop-cache',
  ]
  static override args = {
    guild: Args.string({
      description:
        'Server ID (enable developer mode in Discord to copy it), or @me for direct messages of a desktop cache.',
      multiple: true,
      required: false,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'token-ref': Flags.string({
      summary: 'Name of the secret with the bot token, never the token itself.',
      helpValue: 'NAME',
    }),
    mode: Flags.string({
      summary: 'How to read messages (default: rest).',
      options: ['rest', 'gateway-tail', 'desktop-cache'],
    }),
    channels: Flags.string({
      multiple: true,
      delimiter: ',',
      summary: 'Only these channels, categories and threads, by name or ID.',
      helpValue: 'CHANNEL',
    }),
    since: Flags.string({ summary: 'Skip messages older than this day or time.', helpValue: 'TIME' }),
    'max-messages': Flags.integer({
      summary: 'Maximum number of messages per channel, newest first (default: all).',
      helpValue: 'COUNT',
      min: 1,
    }),
    threads: Flags.boolean({ summary: 'Read threads and forum posts (default: yes).', allowNo: true }),
    'archived-threads': Flags.boolean({
      summary: 'Also read archived threads (default: yes).',
      allowNo: true,
    }),
    'private-archived-threads': Flags.boolean({
      summary: 'Also read archived private threads; the bot must have Manage Threads or be a member.',
    }),
    members: Flags.boolean({
      summary: 'Read the members of the server; the bot needs Server Members Intent.',
    }),
    'thread-members': Flags.boolean({
      summary: 'Read the members of threads; the bot needs Server Members Intent.',
    }),
    attachments: Flags.boolean({ summary: 'Read the names of attachments (default: yes).', allowNo: true }),
    'attachment-text': Flags.boolean({ summary: 'Read the content of text attachments.' }),
    'max-attachment-bytes': Flags.integer({
      summary: 'Maximum size to read of each attachment (default: 262144).',
      helpValue: 'BYTES',
      min: 1,
    }),
    embeds: Flags.boolean({ summary: 'Read embeds (default: yes).', allowNo: true }),
    polls: Flags.boolean({ summary: 'Read polls (default: yes).', allowNo: true }),
    'desktop-cache': Flags.string({
      summary: 'Data folder of the Discord app (default: its usual location).',
      helpValue: 'FOLDER',
    }),
    'full-scan': Flags.boolean({ summary: 'Read every file of the desktop cache each time.' }),
    name: Flags.string({ summary: 'Display name (default: the servers).', helpValue: 'TEXT' }),
    wait: Flags.boolean({ summary: 'Wait until everything is read.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesAddDiscord)
    if (flags.wait && flags.mode === 'gateway-tail')
      throw new CliError('gateway-tail has no end to wait for', {
        code: 'invalid_input',
        exit: 'usage',
        nextSteps: ['omit --wait', 'memory sources show   shows its progress'],
      })
    if (!args.guild && flags.mode !== 'desktop-cache')
      throw new CliError('no server given: name one or more server IDs', {
        code: 'invalid_input',
        exit: 'usage',
        nextSteps: [
          'enable developer mode in Discord to copy the ID of a server',
          'add --mode desktop-cache to read the cache of the Discord app on this machine',
        ],
      })
    const added = await this.call('POST /api/sources/chatguild', {
      body: {
        guildIds: args.guild,
        tokenRef: flags['token-ref'],
        syncMode: flags.mode as Body['syncMode'],
        channelFilter: flags.channels,
        since: flags.since,
        maxMessagesPerChannel: flags['max-messages'],
        includeThreads: flags.threads,
        includeArchivedThreads: flags['archived-threads'],
        includePrivateArchivedThreads: flags['private-archived-threads'],
        includeMembers: flags.members,
        includeThreadMembers: flags['thread-members'],
        includeAttachments: flags.attachments,
        includeAttachmentText: flags['attachment-text'],
        maxAttachmentTextBytes: flags['max-attachment-bytes'],
        includeEmbeds: flags.embeds,
        includePolls: flags.polls,
        desktopCachePath: flags['desktop-cache'],
        desktopCacheFullScan: flags['full-scan'],
        name: flags.name,
        agentId: this.globals.agent,
      },
    })
    return this.printAdded(added, flags)
  }
}
