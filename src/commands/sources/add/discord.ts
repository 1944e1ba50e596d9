import { Args, Flags } from '@oclif/core'
import { SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import type { Request } from '../../../contract/api.js'

type Body = NonNullable<Request<'POST /api/sources/chatguild'>['body']>

export default class SourcesAddDiscord extends SourceCommand {
  static override summary =
    'Read the channels of Discord servers, or what its application keeps on this machine.'
  static override description =
    'Servers are read by a bot: make one in the developer portal of Discord, switch on Message Content Intent, invite it ' +
    'with View Channels and Read Message History, store its token as a secret and give its name. rest reads once and when ' +
    'asked to; gateway-tail then stays connected; desktop-cache needs no token and reads the cache of the application. ' +
    'Nothing is written to Discord. The same servers given again take the flags that are given now.'
  static override examples = [
    '<%= config.bin %> secrets set DISCORD_TOKEN && <%= config.bin %> sources add discord 81384788765712384 --token-ref DISCORD_TOKEN --wait',
    '<%= config.bin %> sources add discord 81384788765712384 --token-ref DISCORD_TOKEN --mode gateway-tail --channels general,help',
    '<%= config.bin %> sources add discord 81384788765712384 --token-ref DISCORD_TOKEN --since 2026-01-01 --attachment-text --members',
    '<%= config.bin %> sources add discord --mode desktop-cache',
  ]
  static override args = {
    guild: Args.string({
      description:
        'Number of a server; Discord copies it with developer mode switched on. @me: direct messages in a desktop cache.',
      multiple: true,
      required: false,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'token-ref': Flags.string({
      summary: 'Name of the secret that holds the token of a bot, never the token itself.',
      helpValue: 'NAME',
    }),
    mode: Flags.string({
      summary: 'How to read (default: rest).',
      options: ['rest', 'gateway-tail', 'desktop-cache'],
    }),
    channels: Flags.string({
      multiple: true,
      delimiter: ',',
      summary: 'Only these channels, categories and threads, by name or number.',
      helpValue: 'CHANNEL',
    }),
    since: Flags.string({ summary: 'Nothing older than this day or time.', helpValue: 'TIME' }),
    'max-messages': Flags.integer({
      summary: 'Only the newest of each channel (default: all).',
      helpValue: 'COUNT',
      min: 1,
    }),
    threads: Flags.boolean({ summary: 'Read threads and posts of forums (default: yes).', allowNo: true }),
    'archived-threads': Flags.boolean({
      summary: 'Read archived threads too (default: yes).',
      allowNo: true,
    }),
    'private-archived-threads': Flags.boolean({
      summary: 'Read archived private threads too; the bot needs Manage Threads, or to be in them.',
    }),
    members: Flags.boolean({ summary: 'Read who is in the server; the bot needs Server Members Intent.' }),
    'thread-members': Flags.boolean({ summary: 'Read who is in threads; needs the same intent.' }),
    attachments: Flags.boolean({ summary: 'Read the names of attachments (default: yes).', allowNo: true }),
    'attachment-text': Flags.boolean({ summary: 'Read attachments that are text.' }),
    'max-attachment-bytes': Flags.integer({
      summary: 'Read so much of each (default: 262144).',
      helpValue: 'BYTES',
      min: 1,
    }),
    embeds: Flags.boolean({ summary: 'Read embeds (default: yes).', allowNo: true }),
    polls: Flags.boolean({ summary: 'Read polls (default: yes).', allowNo: true }),
    'desktop-cache': Flags.string({
      summary: "The application's data folder (default: where it is on this system).",
      helpValue: 'FOLDER',
    }),
    'full-scan': Flags.boolean({ summary: 'Look through every file of the desktop cache, each time.' }),
    name: Flags.string({ summary: 'What to call it (default: the servers).', helpValue: 'TEXT' }),
    wait: Flags.boolean({ summary: 'Wait until everything is read.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesAddDiscord)
    if (flags.wait && flags.mode === 'gateway-tail')
      throw new CliError('gateway-tail has no end to wait for', {
        code: 'invalid_input',
        exit: 'usage',
        nextSteps: ['leave --wait out', 'memory sources show tells how far it is'],
      })
    if (!args.guild && flags.mode !== 'desktop-cache')
      throw new CliError('name one or more servers by their numbers', {
        code: 'invalid_input',
        exit: 'usage',
        nextSteps: [
          'Discord copies the number of a server with developer mode switched on',
          'add --mode desktop-cache for what the application keeps on this machine',
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
    return this.tellAdded(added, flags)
  }
}
