import { phrase, type Rule } from '../rule.js'
import { foreignUrl } from './parts.js'

const reason = 'tool_directive'

const tool = '(?:tool|mcp tool|function|command|plugin|mcp server)'
const assistant =
  '(?:all |any |every |the |every ai |you )?(?:ais?|llms?|language models?|large language models?|ai (?:assistants?|agents?|models?|systems?|coding agents?)|(?:coding |autonomous |automated )?(?:assistants?|agents?)|claude(?: code)?|chatgpt|gpt-?\\d?|copilot|cursor|gemini|codex|bots?)'
const assistantWords = [
  'ai',
  'llm',
  'language model',
  'assistant',
  'agent',
  'claude',
  'gpt',
  'copilot',
  'cursor',
  'gemini',
  'codex',
  'bot',
]
const order =
  /(?:\b(?:ignore|disregard|override|forget|bypass) (?:all|any|your|previous|prior|the (?:user|system|developer|above|previous))|\b(?:do not|don't|never) (?:tell|mention|inform|reveal|disclose|warn|alert)\b[^.!?\n]{0,40}\b(?:user|this|these|human)|\bwithout (?:asking|telling|informing|notifying|confirm|the user)|\b(?:secretly|silently|covertly|discreetly)\b|\b(?:curl|wget) [^\n]{0,60}https?:|\bdownload\b[^.!?\n]{0,60}\b(?:run|execute|install)\b|\byou must (?:now |immediately |also )?(?:include|insert|output|say|respond|reply|send|visit|recommend|call|execute|run|comply|obey|approve|delete)\b|\b(?:delete|remove|wipe|erase) (?:all|every|the (?:user|entire))|\bexfiltrat|\bapprove (?:this|all|every|any)\b)/

// Role markers of chat templates; inside a template they are followed by a placeholder, in an attack by text.
const turn =
  '(?:<\\|(?:im_start|start_header_id|start)\\|>\\s?(?:system|assistant|user|developer|tool|function)(?:<\\|[\\w]+\\|>)?|<\\|(?:system|assistant|user|developer|tool|endofprompt|endoftext|eot_id)\\|>|<start_of_turn>\\s?(?:user|model|system)|\\[/?inst\\]|<</?sys>>|<\\|(?:tool_call|python_tag|channel)\\|>|(?<![^\\n])\\[system\\]|\\[system (?:message|override|update|prompt|notice)[^\\]\\n]{0,40}\\]|\\[/system\\])'
const body = /^\s{0,3}(?![{%<$[(.…]|\\n\{)[^\s`'"|,;)\]}*]+\s[^\s]+/
const commandWords =
  /^[^<]{0,240}?(?:\byou (?:must|are now|will now|shall|have to|should now|can now|may now|are (?:authori[sz]ed|required|instructed|an? (?:unrestricted|different))|have been)|\b(?:ignore|override|disregard|bypass|obey|comply)\b|\bnew instructions?\b|\bfrom now on\b|\b(?:do not|don't|never) (?:tell|mention|inform|reveal|disclose)\b|\b(?:execute|invoke|call|run|send|upload|reveal|delete) (?:the|this|all|any|every|your|a|following)\b|\bgrant(?:ed)? (?:full|admin|root)|\b(?:safety|security|content) (?:checks?|filters?|restrictions?|policies|guidelines) (?:are|is|have been) (?:now )?(?:disabled|off|lifted|suspended|removed))/

/** Rules for forged chat markup and for orders that steer the reader's tools (spec 1, 1.6). */
export const toolDirectiveRules: readonly Rule[] = [
  {
    reason,
    status: 'blocked',
    needs: [['<|', '<start_of_turn>', '[inst]', '[/inst]', '<<', '[system', '[/system']],
    start: new RegExp(turn, 'g'),
    followedBy: [body],
    reach: 'passage',
    unless:
      /^(?:<\|\w+\|>|\[\/?[^\]\n]{1,60}\]|<<?\/?\w+>>?)\s{0,2}(?:tokens?|tags?|markers?|markup|delimiters?|and|or|are|is|in|to|as|with|were|was|when|blocks?|wraps?|marks?|starts?|ends?|means?|format|template|messages?|stop|role|separat\w+|for|from|around|pairs?|instead|then|but|style|which|that|should be)\b/,
  },
  {
    reason,
    status: 'blocked',
    needs: [
      ['<system', '<developer', '<admin', '<assistant', '<hidden', '<secret', '<important', '<instruction'],
    ],
    start:
      /<(?:system|system[-_ ]?(?:prompt|message|instructions?|reminder|override|note|update)|developer[-_ ]?(?:message|instructions?|mode)|admin(?:istrator)?[-_ ]?(?:override|message|instructions?)?|assistant[-_ ]?instructions?|hidden[-_ ]?instructions?|secret[-_ ]?instructions?|important|instructions?[-_ ]override)>/g,
    followedBy: [commandWords],
    reach: 'passage',
    unless:
      /^<[^>]+>\s{0,2}(?:tags?|elements?|blocks?|markers?|markup|and|or|in|is|are|as|to|nodes?|sections?|wrappers?|,|\.|\)|`|"|')|^<important>(?!.{0,400}(?:do not (?:tell|mention)|\.ssh|mcp\.json|ignore (?:all|any|previous)|before using this tool|sidenote|bypass|without telling))/s,
  },
  {
    reason,
    status: 'blocked',
    needs: [['<tool', '<function', '<antml', '<invoke']],
    start:
      /<(?:tool_call|function_calls?|antml:function_calls|invoke name=|tool_use|function=|antml:invoke name=|tool_code|tool_result|function_results?)[^\n>]{0,60}>?/g,
    followedBy: [
      /^\s?(?:\{\s?"(?:name|tool|function|recipient)"\s?:\s?"[\w.-]+"|<(?:invoke|antml:invoke|parameter|tool_name|name)\b[^\n]{0,40}|["']?[\w.-]{2,40}["']?>?\s?<(?:parameter|antml:parameter|arg)|\w+\([^)\n]{3,})/,
    ],
    reach: 'passage',
    unless:
      /^[^\n]{0,200}(?:\.\.\.|…|"name"\s?:\s?"(?:get_weather|tool_name|function_name|name|example\w*|my_\w+|foo|<)|\{\{|\$\{)/,
  },
  {
    reason,
    status: 'blocked',
    needs: [['tool_call', 'to=functions']],
    start:
      /(?:^|\n)\s?(?:\[?tool_calls?\]?|\[tool_calls\]|to=functions\.\w+|<\|tool_call\|>|```tool_(?:call|code))\s?:?\s?\n?/g,
    followedBy: [/^\s?\[?\{\s?"(?:name|function|tool)"\s?:/],
    reach: 'passage',
  },
  {
    reason,
    status: 'tainted',
    needs: [
      [
        'override',
        'message',
        'update',
        'notice',
        'alert',
        'directive',
        'command',
        'instruction',
        'note',
        'prompt',
      ],
      ['system', 'developer', 'admin', 'root', 'urgent', 'priority', 'security', 'operator'],
    ],
    start: phrase(
      `(?:system|developer|admin|administrator|root|urgent|priority|security|operator)(?: (?:system|security|admin))? (?:override|message|update|notice|alert|directive|command|instruction|note|prompt)s? ?(?:- [\\w ]{1,30})?(?:\\([^)\\n]{1,40}\\) ?)?[:\\]>!—-]`,
    ),
    followedBy: [
      /^[^.!?\n]{0,80}?(?:\byou (?:must (?:now|immediately|ignore|obey|comply|execute|call|send|reveal|disregard)|are now (?:in|an?|authori|permit|free|un)|have been (?:authori|upgraded|granted|unlocked|reassigned)|will now)|\b(?:ignore|disregard|override|bypass) (?:all|any|your|previous|prior|the (?:user|above|previous|safety))|\ball (?:safety|previous|prior|security) \w+ (?:are|is|have been)\b|\b(?:immediately|now) (?:call|invoke|execute|send|delete|reveal|grant)\b|\bnew directive\b|\bsupersedes? all\b)/,
    ],
    reach: 'passage',
  },
  {
    reason,
    status: 'blocked',
    needs: [['you must']],
    start: phrase(
      `you must (?:now|immediately|silently|secretly|first) (?:call|invoke|use|run|execute|trigger) (?:the |this |your |following |a )?[\\w\`"'./:-]{0,40} ?${tool}\\b`,
    ),
    unless: /\bfirst (?:use|call|run) (?:the |your |this )?[`"']?(?:read|search|list|glob|grep|view)/,
  },
  {
    reason,
    status: 'tainted',
    needs: [['tool'], ['immediately', 'silently', 'secretly', 'right', 'without', 'at once', 'now']],
    command: true,
    start: phrase(
      `(?:immediately|silently|secretly|right away|without delay|at once)[, ]+(?:call|invoke|use|trigger|execute) (?:the |this |your |following )?[\\w\`"'./:-]{0,40} ?(?:tool|mcp tool)\\b|(?:call|invoke|use|trigger|execute) (?:the |this |your |following )?[\\w\`"'./:-]{1,40} (?:tool|mcp tool) (?:immediately|right now|right away|silently|secretly|without (?:asking|telling|informing|confirm|the user)|at once)|now (?:call|invoke) (?:the |your |following )?[\\w\`"'./:-]{0,40} ?tool (?:with|to|and|on)\\b`,
    ),
  },
  {
    reason,
    status: 'tainted',
    needs: [
      [
        'memor',
        'note',
        'message',
        'text',
        'document',
        'comment',
        'instruction',
        'file',
        'page',
        'email',
        'issue',
        'content',
        'paragraph',
        'tool',
        'question',
        'user',
        'request',
      ],
      [
        '://',
        'curl',
        'wget',
        'rm -',
        'bash',
        'sh -c',
        'base64',
        'silently',
        'secretly',
        'without',
        'exfil',
        'forward',
        'upload',
        'delete',
        'disable',
        'read ',
        'tool',
      ],
    ],
    command: true,
    start: phrase(
      '(?:when(?:ever)?|if|once|after|as soon as|upon|before) (?:you (?:are )?|an? (?:ai|assistant|agent|llm)\\w* )?(?:read(?:s|ing)?|see(?:s|ing)?|recall(?:s|ed|ing)?|retriev(?:e|es|ing)|load(?:s|ed|ing)?|process(?:es|ing)?|summari[sz](?:e|es|ing)|receiv(?:e|es|ing)|us(?:e|ing)|call(?:ing)?|answer(?:ing)?|respond(?:ing)?(?: to)?|reply(?:ing)?(?: to)?) (?:this|any|the|these) (?:memory|memories|note|message|text|document|comment|instruction|file|page|email|issue|content|paragraph|tool|question|users?|request)\\b',
    ),
    followedBy: [
      new RegExp(
        `(?:${foreignUrl}|\\b(?:curl|wget|rm -|bash|sh -c|base64)\\b|\\bsilently\\b|\\bsecretly\\b|\\bwithout (?:asking|telling|informing|notifying|the user)|\\b(?:exfiltrat|forward (?:it|them|all|the)|upload (?:it|all|the)|delete (?:all|every|the)|disable (?:all|the|your))|\\bread (?:the )?(?:contents? of )?[~/.$\`]|\\b(?:always )?(?:call|invoke|execute|trigger) (?:the |your )?[\\w\`"'./:-]{1,40} tool (?:first|instead|with|and)\\b[^.!?]{0,60}\\b(?:all|every|content|conversation|file|key|secret|token|message))`,
      ),
    ],
    unless:
      /\b(?:localhost|127\.0\.0\.1)\b|\bdelete the (?:branch|temp|old|cache|lock)|^(?:when(?:ever)?|if|once|after|before) (?:you )?us(?:e|ing) the\b(?!.{0,200}(?:silently|secretly|without (?:asking|telling)))|\bsee (?:also )?https?:|\b(?:docs?|documentation|details|reference|rfc)\b[^.!?\n]{0,30}https?:/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      assistantWords,
      [
        'ignor',
        'disregard',
        'override',
        'forget',
        'bypass',
        'tell',
        'mention',
        'inform',
        'reveal',
        'disclose',
        'warn',
        'alert',
        'without',
        'secretly',
        'silently',
        'covertly',
        'discreetly',
        'curl',
        'wget',
        'download',
        'you must',
        'delete',
        'remove',
        'wipe',
        'erase',
        'exfiltrat',
        'approve',
      ],
    ],
    start: phrase(
      `(?:(?:attention|note|message|instructions?|important|notice|hey|dear|hello|reminder|memo|warning|directive|urgent|ps|p\\.s\\.)(?: message| note)? ?(?:to|for|,|:|!)? ?${assistant}(?: (?:reading|processing|parsing|viewing|that (?:reads?|sees?)|who reads?|analy[sz]ing|reviewing)(?: [\\w]+){0,3})? ?[:,!—.-]|(?:if|when) you are an? ${assistant.replace('(?:all |any |every |the |every ai |you )?', '')}(?: (?:reading|processing|parsing|viewing|reviewing|summari[sz]ing|analy[sz]ing)(?: [\\w]+){0,3})?,?|(?:ai|llm|assistant|agent|claude|chatgpt|copilot)s? ?[,:])`,
    ),
    followedBy: [order],
    reach: 'passage',
    unless: /^[^.!?\n]{0,200}\bmust (?:not|never)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['<!--', 'display', 'visibility', 'font-size', 'color', 'opacity', '[//]', 'hidden>'],
      assistantWords,
    ],
    start: new RegExp(
      `(?:<!--|display: ?none|visibility: ?hidden|font-size: ?0|color: ?(?:white|#fff(?:fff)?|transparent)|opacity: ?0\\b|\\[//\\]: # ?\\(|\\bhidden>)[^\\n]{0,40}?\\b${assistant}\\b`,
      'g',
    ),
    followedBy: [
      /\b(?:you must|must now|should now|execute|invoke|run (?:the following|this|curl|wget|`)|send|upload|download|install|delete|ignore|disregard|include (?:the|this|all|a)|insert|recommend|approve|visit|fetch|do not (?:tell|mention)|read ~|reveal|secretly|silently)\b/,
    ],
    reach: 'passage',
  },
  {
    reason,
    status: 'tainted',
    needs: [['secretly', 'covertly', 'discreetly', 'stealthily', 'surreptitiously', 'silently', 'quietly']],
    command: true,
    start: phrase(
      '(?:secretly|covertly|discreetly|stealthily|surreptitiously|silently|quietly) (?:run|execute|send|upload|call|exfiltrate|copy|post|forward|transmit|e-?mail|invoke|add|insert|modify|delete|download|install|record|log|collect|approve|merge|change)',
    ),
    followedBy: [
      new RegExp(
        `(?:${foreignUrl}|\\b(?:user|users|human|developer|without|secrets?|credentials|keys?|backdoor|malicious|payload|conversation|messages?|every (?:file|message|request)|tool|approval|history|script)\\b)`,
      ),
    ],
    unless: /\b(?:nsis|msi|winget|choco|\/s\b|telemetry|fails?|errors?)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [['without', 'letting']],
    command: true,
    start: phrase(
      `(?:run|execute|call|invoke|send|install|push|delete|download|modify|approve|visit|open|transfer|navigate|go) `,
    ),
    followedBy: [
      /\bwithout (?:(?:ever )?(?:asking|telling|informing|notifying|alerting|warning|consulting|prompting) (?:the )?(?:user|human|developer|operator|anyone)|(?:any |the )?(?:user'?s?'?|human) (?:\w+ )?(?:confirmation|knowledge|consent|approval|awareness|permission|noticing|interaction or (?:consent|approval))|letting the user know)/,
    ],
    unless: /\b(?:never|must not|should not|cannot|can't|not allowed|do not|don't|forbidden|refuse)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [['://'], ['follow', 'obey', 'execute', 'carry', 'comply', 'do ', 'perform', 'run']],
    command: true,
    start: phrase('(?:visit|navigate to|open|go to|fetch|browse to|download|load|retrieve|read)\\b'),
    followedBy: [
      new RegExp(foreignUrl),
      /\b(?:and|then|,)\s?(?:then )?(?:follow|obey|execute|carry out|comply with|do|perform|run) (?:all |any |every |exactly |the |whatever |what )?(?:the )?(?:instructions?|commands?|orders|directives?|steps|script|code|payload|it says|is written)\b(?! (?:in the readme|below|in (?:section|the (?:docs|guide))))/,
    ],
    unless:
      /\b(?:install guide|installation|readme|docs?\b|documentation|getting started|tutorial|setup guide)/,
  },
]
