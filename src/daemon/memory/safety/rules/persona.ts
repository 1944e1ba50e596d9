import { phrase, type Rule } from '../rule.js'

const reason = 'prompt_injection'

const limits =
  '(?:restrictions?|limitations?|limits|filters?|filtering|censorship|guidelines|rules|constraints|safeguards|guardrails|moral(?:s|ity)?|ethics|ethical (?:guidelines|constraints|limits|rules)|safety (?:guidelines|rules|filters|measures|restrictions)|content (?:policy|policies|filters))'
const openMode =
  '(?:dan|developer|debug|diagnostic|god|admin|root|sudo|maintenance|unrestricted|unfiltered|jailbreak|jailbroken|override|evil|chaos)'
const ai =
  '(?:ai|assistant|model|llm|language model|chatbot|bot|agent|intelligence|entity|persona|version|being)'

/** Rules for jailbreak personas, prompt theft, false authority and orders hidden from the user (spec 1, 1.6). */
export const personaRules: readonly Rule[] = [
  {
    reason,
    status: 'blocked',
    needs: [
      [
        'dan',
        'do anything now',
        'unrestricted',
        'unfiltered',
        'uncensored',
        'jailbroken',
        'amoral',
        'unethical',
        'evil',
        'rogue',
        'unbound',
        'unchained',
      ],
      ['you', 'act', 'pretend', 'become', 'roleplay', 'behave', 'respond', 'simulate'],
    ],
    start: phrase(
      `(?:you are|you re|you're|you will be|act as|pretend (?:to be|you are)|become|roleplay as|behave (?:as|like)|respond as|simulate) (?:now |going to be |acting as |in |the |an? |called |named ){0,4}(?:dan\\b(?! ?[a-z]+(?:son|sen)\\b)|do anything now|(?:completely |totally |fully |an? )*(?:unrestricted|unfiltered|uncensored|jailbroken|amoral|unethical|evil|rogue|unbound|unchained) ${ai})`,
    ),
    unless: /^act as dan (?:is|was|on|who)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [[' mode']],
    start: phrase(
      `(?:you are (?:now |currently )?(?:in|entering|running in|operating in|switched to)|(?:you (?:must|should) )?(?:now )?(?:enter|activate|switch (?:in)?to|enable) (?:your )?) ?(?:an? |the |full )?${openMode} mode\\b`,
    ),
    unless:
      /^(?:you (?:must|should) )?(?:now )?(?:enter|activate|switch (?:in)?to|enable) (?:the |an? |full )?(?:developer|debug|diagnostic|admin|root|sudo|maintenance|override|evil|chaos|god|jailbreak)\b(?![^.]{0,80}\b(?:without|no) (?:any )?(?:restrictions|filters|limits|safety))/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['without', 'no ', 'no\n', 'free', 'bound', 'ignoring'],
      [
        'restriction',
        'limit',
        'filter',
        'censor',
        'guideline',
        'rules',
        'constraint',
        'safeguard',
        'guardrail',
        'moral',
        'ethic',
        'safety',
        'content polic',
      ],
    ],
    command: true,
    start: phrase(
      '(?:act|behave|respond|answer|reply|operate|pretend|role ?play|you (?:are|will|can|must|now)(?: now)? (?:free|respond|answer|act|operate|be|an ai|a model|an assistant))',
    ),
    followedBy: [
      new RegExp(
        `\\b(?:without|no|free (?:of|from)|not bound by|ignoring|unbound by|no longer (?:bound by|have))\\s(?:any |all |your |the |usual |normal |further |ethical |moral |safety |content |of ){0,4}${limits}\\b`,
      ),
    ],
    unless: /\b(?:licen[cs]e|copy|distribute|merge|rate limits?|warranty)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [['from now on', 'from this', 'henceforth', 'for the rest'], ['you']],
    start: phrase(
      `(?:from now on|from this (?:point|moment)(?: on(?:ward)?)?|henceforth|for the rest of this (?:conversation|session)),? (?:you|your) (?:(?:are|will|must|shall|should|have|can)(?: only| now| always| to)*) (?:no longer|not bound|ignor|obey|comply with|answer (?:every|all|any)|an? (?:unrestricted|unfiltered|different|new)|do (?:anything|whatever)|do exactly|follow only|only (?:obey|follow|listen))`,
    ),
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['prompt', 'instructions', 'directives', 'system message', 'guidelines'],
      ['your', 'hidden', 'secret', 'confidential', 'internal'],
    ],
    command: true,
    start: phrase(
      `(?:reveal|print|output|repeat|display|show|disclose|leak|dump|tell me|give me|send me|return|expose|share|write out|copy|recite|summari[sz]e|translate|encode|paste|list|what (?:is|are|were)) (?:me |us |back |out )?(?:all |the |exact |full |entire |complete |verbatim |contents? |text |of |a copy ){0,6}(?:your (?:exact |full |entire |complete |own |secret |hidden |original |initial |internal |system |developer |confidential )*(?:system prompt|prompt|instructions|directives|system message|guidelines)|(?:your |the )?(?:hidden|secret|confidential|internal) (?:system )?(?:prompt|instructions))\\b`,
    ),
    unless:
      /^(?:share|list|show|paste|return|copy|translate|summari[sz]e|output|print|display) your (?:prompt|guidelines|instructions)\b(?! (?:above|verbatim|word|exactly|and ))/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['above', 'before this', 'prior to this'],
      ['repeat', 'print', 'output', 'copy', 'echo', 'recite', 'return'],
    ],
    command: true,
    start: phrase(
      '(?:repeat|print|output|copy|echo|recite|return) (?:back )?(?:everything|all|the (?:text|words|content|instructions|message)) (?:of the text |text |content )?(?:above|before this|prior to this)',
    ),
    followedBy: [
      /\b(?:verbatim|word for word|starting (?:with|from)|in (?:a )?code ?block|exactly|you are)\b/,
    ],
    reach: 'passage',
  },
  {
    reason,
    status: 'tainted',
    needs: [
      [
        'authori',
        'permit',
        'order',
        'command',
        'instruct',
        'allow',
        'require',
        'grant',
        'i need',
        'cleared',
        'must',
        'can',
        'may',
      ],
      ['i am', "i'm", 'this is', 'message from', 'on behalf', 'acting as'],
    ],
    start: phrase(
      "(?:i am|this is|i'm|message from|on behalf of|acting as) (?:an? |the |your )*(?:developer|creator|administrator|admin|system administrator|operator|anthropic|openai|google|microsoft|security team|ai safety team|root user|supervisor|owner)s?\\b",
    ),
    followedBy: [
      /\b(?:authori[sz]e|permit|order|command|instruct|allow|require|grant|i need)s?(?:ed)? (?:you|the (?:ai|assistant|agent|model))\b|\byou (?:are|have been) (?:now )?(?:authori[sz]ed|permitted|cleared|ordered)\b|\byou (?:must|can|may) (?:now )?(?:comply|obey|ignore|disregard|bypass|disable|reveal|drop|skip)\b/,
    ],
    reach: 'passage',
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['to bypass', 'to ignore', 'to disable', 'to override', 'to skip', 'to circumvent', 'to turn off'],
      [
        'safety',
        'security',
        'ethical',
        'content',
        'guardrail',
        'safeguard',
        'restriction',
        'guideline',
        'filter',
        'confirmation',
        'approval',
      ],
    ],
    start: phrase(
      '(?:authori[sz]ed|permitted|cleared|allowed|instructed|ordered) (?:you )?to (?:bypass|ignore|disable|override|skip|circumvent|turn off)',
    ),
    followedBy: [
      /^\s(?:all |any |every |your |the |these |of ){0,3}(?:safety|security|ethical|content|guardrails?|safeguards?|restrictions|guidelines|filters|confirmations?|approvals?)\b/,
    ],
    unless: /\bnot (?:authori[sz]ed|permitted|allowed)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['your'],
      [
        'safety',
        'security',
        'ethical',
        'content',
        'moral',
        'guardrail',
        'safeguard',
        'filter',
        'restriction',
        'censorship',
      ],
    ],
    command: true,
    start: phrase(
      `(?:disable|bypass|turn off|deactivate|circumvent|drop|remove|switch off) (?:all |any |every |of ){0,2}your (?:own |internal |built in |content |ethical )*(?:safety|security|ethical|content|moral|guardrails?|safeguards?|filters?|restrictions|censorship)`,
    ),
  },
  {
    reason,
    status: 'tainted',
    needs: [
      [
        'tell',
        'mention',
        'inform',
        'reveal',
        'disclos',
        'report',
        'notify',
        'alert',
        'show',
        'warn',
        'explain',
      ],
      [
        'user',
        'human',
        'anyone',
        'developer',
        'operator',
        'owner',
        'this',
        'these',
        'that you',
        'it',
        'what you',
        'existence',
        'presence',
        'your',
      ],
    ],
    command: true,
    start: phrase(
      "(?:do not|don't|dont|never|you must not|without|avoid) (?:ever )?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|disclose|disclosing|report|reporting|notify|notifying|alert|alerting|show|warn|warning|explain|explaining)(?: or (?:tell|mention|show|report|explain|reveal))?",
    ),
    followedBy: [
      /^\s(?:(?:any of |about )?(?:this|these|that you|it|the (?:existence|presence) of|what you (?:are|did)|any of this|your (?:actions|instructions))(?: (?:instructions?|message|note|step|steps|directive|memory|action|actions|command|request|rule|text|tag|comment|are|did|first|need|read|ran|sent|executed))*\s?(?:to (?:the |any |your )?(?:users?|humans?|anyone|developer|operator|owner)|in your (?:reply|response|answer|summary|output)|[.!;,)]|$|explicitly)|(?:the |your |any )?(?:users?|humans?|anyone|developer|operator|owner) (?:about (?:this|these|it|your|what|any of)|of (?:this|these|it|your)|that you|what you|why you|you (?:are|did|have|were)))/,
    ],
    unless: /\b(?:mention|report|show|explain|reveal|disclose)(?:ing)? (?:it|this|that)(?:[.!;,)]|$)/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['hide', 'conceal', 'keep'],
      ['user', 'human', 'developer', 'owner', 'operator', 'reviewer', 'log'],
    ],
    command: true,
    start: phrase(
      '(?:hide|conceal|keep) (?:this|these|all of this|your (?:actions|activity|activities)|the (?:fact|existence|evidence|change|changes|result))',
    ),
    followedBy: [
      /\b(?:from|secret from|hidden from) (?:the |any |your )?(?:users?|humans?|developers?|owner|operator|reviewer|logs?)\b/,
    ],
    unless: /\b(?:button|menu|field|column|panel|page|section|flag|option|tab|banner|dialog|input|setting)\b/,
  },
]
