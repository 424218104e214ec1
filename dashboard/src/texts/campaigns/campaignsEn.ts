/**
 * The texts of campaigns in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

type Names = Readonly<Record<string, string>>

const people = (shown: string, count: number): string => `${shown} ${plural(count, "person", "people")}`

/** The texts. */
export const campaignsEn = {
  title: "Campaigns",
  text: "One message to the people of segments, each once.",
  name: "Campaign",
  nameHint: "For you and your colleagues alone.",
  state: "State",
  states: {
    Draft: "Draft",
    Scheduled: "Scheduled",
    Sending: "Sending",
    Paused: "Paused",
    Sent: "Sent",
    Cancelled: "Cancelled"
  } as Names,
  phases: {
    Preparing: "The audience is read. Nothing is decided for those who were not read yet.",
    Testing: "The variants of the test leave.",
    Deciding: "The test has ended. Choose the variant that the others get.",
    Delivering: "Emails leave.",
    Waiting: "Everyone left waits for a time."
  } as Names,
  pauses: {
    "campaigns.paused_by_operator": "Somebody paused it. Nothing leaves until it is resumed.",
    "campaigns.check_failed": "Its time came, and a check did not pass. Mend what it names, then resume.",
    "campaigns.bounces": "Too many addresses bounced. See which, before you resume.",
    "campaigns.complaints": "Too many people complained. See what they were promised, before you resume.",
    "campaigns.render_failures": "The content cannot be made for many people. Mend it, then resume.",
    "campaigns.sender_failing":
      "Its sender is no longer on a verified domain. Mend the domain's records, then resume.",
    "campaigns.standing": "The account's marketing is held. It can be resumed when the hold ends."
  } as Names,
  pausedAnyway: "It is paused.",
  audience: "People",
  audienceLabel: "Who gets it",
  results: "Results",
  changed: "Changed",
  by: "By",
  opened: "Opened",
  clicked: "Clicked",
  empty: "Campaigns appear here",
  emptyText: "Write a message, choose the people who get it, and see what becomes of it.",
  create: "New campaign",
  search: "Name or subject",
  createText: "It is a draft, and sends nothing until you launch it.",
  created: (name: string) => `${name} was created`,
  createAction: "Create",
  copyFor: {
    Same: "Copy",
    NotOpened: "Copy for who did not open it",
    NotClicked: "Copy for who did not click it",
    NotSent: "Copy for who did not get it"
  },
  copied: (name: string) => `${name} was copied. This is the copy.`,
  rename: "Rename",
  renamed: "Campaign renamed",
  remove: "Delete",
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText: "Nothing was sent. The draft cannot be brought back.",
  removed: (name: string) => `${name} was deleted`,
  steps: { who: "Who", what: "What", when: "When", check: "Check" } as Names,
  stepsLabel: "Parts of the campaign",
  next: { who: "Next: what they get", what: "Next: when", when: "Next: check and launch" } as Names,
  saves: {
    saved: "Saved",
    waiting: "Not saved yet",
    saving: "Saving…",
    failed: "Not saved"
  } as Names,
  undo: "Undo",
  meanwhile: (name: string) => `${name} changed the campaign meanwhile. What you entered is not saved.`,
  someone: "Somebody",
  takeTheirs: "Show theirs",
  keepMine: "Save mine",
  readOnly: "Your role may read campaigns, not change them.",
  who: {
    segments: "People in any of",
    exclude: "But in none of",
    add: "Add a segment",
    choose: "Choose a segment",
    none: "No segment yet. A campaign needs at least one.",
    noExclude: "Nobody is left out.",
    removeOne: (name: string) => `Remove ${name}`,
    gone: "A segment that was deleted",
    topic: "Topic",
    topicHint: "People who turned it off do not get the campaign.",
    noTopic: "None: consent alone decides",
    holdout: "Held out, in percent",
    holdoutHint: "People chosen at random who do not get it, so that you can compare. 0 to 50.",
    estimate: "Audience now",
    estimateText: "It is read again when the campaign starts.",
    chosen: "Selected",
    reachable: "Reachable",
    sample: "The newest of them",
    nobody: "These segments select nobody now.",
    pick: "Choose a segment, and the people are counted here.",
    zones: "Time zones"
  },
  what: {
    source: "Content",
    sources: { Template: "A template", Written: "Written here" } as Names,
    template: "Template",
    chooseTemplate: "Choose a template",
    templateHint: "Its newest version at the launch is sent.",
    pinned: (shown: string) => `Version ${shown} is sent.`,
    newest: "Take the newest version",
    noTemplates: "There is no template yet. Write the content here instead.",
    subject: "Subject",
    preheader: "Preview line",
    preheaderHint: "Mail programs show it after the subject.",
    html: "HTML",
    htmlHint: 'HTML or MJML, with Liquid such as {{ contact.firstName | default: "there" }}.',
    plain: "Text",
    plainHint: "Made from the HTML where it is empty.",
    sender: "Sender",
    from: "Address",
    fromHint: "On a verified domain. Empty for the account's default sender.",
    fromName: "Name",
    replyTo: "Replies go to",
    tracking: "Tracking",
    trackings: {
      Default: "As the account's settings say",
      Both: "Opens and clicks",
      Opens: "Opens alone",
      Clicks: "Clicks alone",
      None: "Nothing"
    } as Names,
    tags: "Tags",
    tagsHint: "Separated by commas, for lists."
  },
  preview: {
    title: "Preview",
    as: "As seen by",
    anyone: "A person of whom nothing is known",
    loading: "The preview is made…",
    none: "The preview appears here as soon as there is content.",
    html: "Email",
    plain: "Text",
    noSubject: "No subject",
    problems: "What prevents sending",
    findings: "What filters dislike",
    noHtml: "There is no HTML."
  },
  when: {
    when: "Send",
    options: {
      Launch: "When it is launched",
      Time: "At a time",
      LocalTime: "At a local time of each person"
    } as Names,
    at: "Time",
    atHint: (zone: string) => `On your clock, ${zone}.`,
    localTime: "Local time",
    localHint: "Each person gets it when their own clock shows this time. That takes up to 26 hours.",
    late: "People for whom it has passed",
    lates: { SendNow: "Get it at once", Skip: "Do not get it" } as Names,
    launchHint: "The first emails leave within seconds."
  },
  pace: {
    title: "Pace",
    emails: "Most emails",
    hint: "Spread evenly. Empty for as fast as servers take them.",
    per: "In each",
    units: { Minute: "Minute", Hour: "Hour", Day: "Day" } as Names
  },
  window: {
    title: "Hours and limits",
    on: "Send within some hours only",
    hint: "On each person's own clock.",
    from: "From",
    to: "Until",
    days: "Days"
  },
  quiet: {
    title: "Quiet hours of the account",
    hint: "Set in the settings of the account.",
    choices: { Respect: "Hold the campaign", Ignore: "Do not hold it" } as Names
  },
  capped: {
    title: "People who got as much marketing as the account allows",
    hint: "The caps are set in the settings of the account.",
    choices: { Skip: "Do not get it", Wait: "Wait for some hours" } as Names,
    hours: "Hours",
    hoursHint: "1 to 72. Whoever is over a cap even then does not get it."
  },
  test: {
    title: "Test of variants",
    text: "A part of the audience gets variants, and the others the one that did best.",
    on: "Contents",
    ons: { One: "One for everyone", Test: "Variants that are compared" } as Names,
    variants: "Variants",
    variant: (id: string, name: string | null) =>
      name === null || name === "" ? `Variant ${id.toUpperCase()}` : `${id.toUpperCase()}: ${name}`,
    name: "Name of the variant",
    add: "Add a variant",
    removeOne: (name: string) => `Remove ${name}`,
    share: "Tested share, in percent",
    shareHint: "Divided equally among the variants. 100 compares them without a winner.",
    metric: "Compared by",
    metrics: { Clicks: "Clicks", Opens: "Opens" } as Names,
    metricHint: "Of people among those whose server took it. Programs do not count.",
    hours: "Hours until it is decided",
    hoursHint: "1 to 168, from the last email of the test.",
    decide: "Who decides",
    decides: { Auto: "The service", Manual: "A person" } as Names,
    confidence: "Confidence, in percent",
    confidenceHint: "80 to 99. How sure it must be that the difference is no chance.",
    undecided: "Where chance may explain the difference",
    undecideds: { First: "The others get variant A", Ask: "A person decides" } as Names,
    winner: "The others get",
    pick: (name: string) => `Send ${name} to the others`,
    picked: (name: string) => `The others get ${name}`,
    none: "Not decided yet"
  },
  languages: {
    title: "Languages",
    others: "All others",
    add: "Add a language",
    removeOne: (name: string) => `Remove ${name}`
  },
  utm: {
    title: "Links",
    text: "Web analytics see by these parameters that a visit comes from the campaign.",
    on: "Add parameters to links",
    contentHint: "Empty for the variant's letter."
  },
  trial: {
    title: "Test email",
    text: "To members, and to the test addresses of the settings. It counts nowhere.",
    to: "Addresses",
    toHint: "Up to 10, separated by commas.",
    variant: "Variant",
    send: "Send a test",
    sent: (shown: string, count: number) => `Sent to ${shown} ${plural(count, "address", "addresses")}`,
    refused: (email: string) => `${email} is suppressed and got none.`
  },
  check: {
    title: "Before the launch",
    none: "Nothing prevents the launch.",
    errors: (shown: string, count: number) =>
      `${shown} ${plural(count, "thing prevents", "things prevent")} the launch.`,
    severities: { Error: "Must be mended", Warning: "Worth a look" } as Names,
    concerns: (shown: string, count: number) => `Concerns ${people(shown, count)} of those tried.`,
    goTo: "Show",
    again: "Check again",
    unsaved: "What you entered is not saved, so it cannot be checked.",
    to: (shown: string, count: number) => `Send to ${people(shown, count)}`,
    scheduleTo: (shown: string, count: number) => `Schedule for ${people(shown, count)}`,
    noTime: "The time is missing at which it is sent.",
    noRight: "Your role may write campaigns, not launch them."
  },
  launch: {
    title: (name: string) => `Launch ${name}?`,
    now: (shown: string, count: number) =>
      `The segments select ${people(shown, count)} now. Email leaves at once to those whose consent, topics and suppressions allow it. What has left cannot be taken back; the rest can be paused.`,
    later: (shown: string, count: number, time: string) =>
      `The segments select ${people(shown, count)} now; they are read again at ${time}. Until then the launch can be taken back.`,
    launched: (name: string) => `${name} was launched`
  },
  approval: {
    title: "Approval",
    states: {
      Missing: "Missing",
      Requested: "Requested",
      Approved: "Approved",
      Rejected: "Rejected"
    } as Names,
    texts: {
      Missing:
        "A launch to this many people may need the approval of another person, who has not changed it last.",
      Requested: "Another person, who has not changed it last, approves or rejects it.",
      Approved: "It may be launched. A change of what is sent makes the approval void.",
      Rejected: "Change it, and request an approval again."
    } as Names,
    actions: { Request: "Request approval", Approve: "Approve", Reject: "Reject" },
    actionTexts: {
      Request: "Those who may launch campaigns can approve it.",
      Approve: "You vouch for its content and its audience as they are now.",
      Reject: "It cannot be launched until it is approved."
    },
    comment: "Comment",
    done: { Request: "Approval requested", Approve: "Approved", Reject: "Rejected" }
  },
  retry: {
    title: "Try again",
    text: "Those who got the campaign do not get it again.",
    what: { RenderFailed: "Content that could not be made", NotDelivered: "Email that no server took" },
    whatTexts: {
      RenderFailed: "After you mended the content, or the fields of these people.",
      NotDelivered: "Email that failed for a time; addresses that do not exist are left out."
    },
    none: "There is no one to try again",
    done: (shown: string, count: number) => `Trying ${people(shown, count)} again`
  },
  links: {
    title: "Clicks by link",
    link: "Link",
    own: "Links that each person has of their own",
    human: "People",
    unknown: "Unclear",
    machine: "Machines",
    clicks: "All clicks",
    show: "Show on the email",
    shown: "Clicks on the email",
    shownText: "Each link with its number and how many people clicked it, without machines.",
    noHtml: "This email is text alone."
  },
  scheduledFor: "It starts",
  unschedule: "Back to draft",
  unscheduled: "It is a draft again. Nothing was sent.",
  pause: "Pause",
  paused: "Paused. Nothing of it leaves now.",
  resume: "Resume",
  resumed: "Resumed with those who have not got it yet",
  cancel: "Cancel campaign",
  cancelTitle: (name: string) => `Cancel ${name}?`,
  cancelText: (got: string, gotCount: number, rest: string, restCount: number) =>
    `${people(got, gotCount)} ${plural(gotCount, "has", "have")} got it or will: that cannot be taken back. ${people(rest, restCount)} will never get it. A cancelled campaign cannot be resumed.`,
  cancelled: "Cancelled. What had not left is never sent.",
  progress: "Decided",
  progressOf: (done: string, all: string) => `${done} of ${all}`,
  nextAt: "The next are due",
  perMinute: (shown: string) => `${shown} a minute`,
  etaAt: "Ends about",
  waiting: "What people wait for",
  ownTime: "Their time has not come.",
  until: "until",
  responses: "What followed",
  responseNames: {
    complained: "Complaints",
    unsubscribed: "Unsubscribed",
    topicOff: "Turned a topic off",
    conversions: "Orders after a click",
    holdout: "Held out",
    lift: "Orders more than those held out"
  } as Names,
  tooFew: "Too few orders to tell",
  lift: (value: string, from: string, to: string) => `${value}, with 95 % between ${from} and ${to}`,
  outcomes: {
    reached: "Taken by their servers",
    onItsWay: "On their way",
    failed: "Not delivered",
    uncertain: "Unknown",
    pending: "Still to come",
    skipped: "Left out",
    heldOut: "Held out",
    cancelled: "Cancelled"
  } as Names,
  outcome: "What became of them",
  count: "People",
  share: "Share",
  noAudience: "The audience is not read yet.",
  funnel: "From audience to click",
  funnelSteps: {
    audience: "Audience",
    submitted: "Email made",
    reached: "Taken by their servers",
    opened: "Opened",
    clicked: "Clicked"
  } as Names,
  machines: (shown: string) => `and ${shown} by machines`,
  skippedBy: "Why people were left out",
  byStatus: "Emails by state",
  showPeople: "Show people",
  details: "Details",
  content: "Content",
  ownContent: "Written in the campaign",
  launchedAt: "Launched",
  version: "Version",
  editContent: "Change content",
  editTitle: "Change the content",
  editText: "A new version, for those who have not got the campaign yet.",
  newVersion: "A new version was made",
  versions: "Versions",
  versionOf: (shown: string) => `Version ${shown}`,
  got: (shown: string, count: number) => `${people(shown, count)} got it`,
  history: "History",
  breakdown: {
    title: "Emails by provider, language or time",
    by: "By",
    kinds: {
      Provider: "Provider",
      Domain: "Domain",
      Variant: "Variant",
      Language: "Language",
      Country: "Country",
      Version: "Version",
      Hour: "Hour",
      Day: "Day"
    } as Names,
    none: "Not known",
    submitted: "Emails",
    delivered: "Delivered",
    retrying: "Deferred",
    bounced: "Bounced",
    failed: "Failed",
    opened: "Opened by people",
    clicked: "Clicked by people",
    machines: "Opened by machines",
    complained: "Complaints",
    unsubscribed: "Unsubscribed",
    empty: "No email was made yet."
  },
  compare: {
    title: "Compare campaigns",
    action: "Compare",
    hint: "Choose 2 to 10 campaigns to compare them.",
    chosen: (shown: string, count: number) => `${shown} ${plural(count, "campaign", "campaigns")} chosen`,
    clear: "Choose none",
    none: "Choose campaigns in the list first.",
    rates: "Shares are of those whose servers took the email."
  },
  recipients: {
    title: "Recipients",
    person: "Person",
    erased: "A person who was erased",
    state: "State",
    states: {
      Pending: "To come",
      Submitted: "Email made",
      Skipped: "Left out",
      HeldOut: "Held out",
      Cancelled: "Cancelled"
    } as Names,
    why: "Why",
    whyFilter: "Reason",
    email: "Email",
    decided: "Decided",
    due: "due",
    showEmail: "Show email",
    visits: "Visits",
    status: "Email's state",
    converted: "Ordered",
    unsubscribed: "Unsubscribed",
    yes: "Yes",
    no: "No",
    search: "Beginning of the address",
    empty: "People appear here when the campaign starts",
    emptyText: "Everyone whom the segments select is listed, with what became of them."
  },
  reasons: {
    "campaigns.no_address": "Has no address, or was erased.",
    "campaigns.duplicate_address": "Another person got the campaign at this address.",
    "campaigns.local_time_passed": "The local time had passed when the campaign was launched.",
    "campaigns.render_failed": "The content cannot be made for this person. See which field is missing.",
    "campaigns.pace": "Waits, since the campaign is sent at a limited pace.",
    "campaigns.window": "Waits for the hours in which the campaign is sent.",
    "campaigns.test": "Waits for the variant that wins the test.",
    "sending.gate_bounced": "The address bounced before. Lift the suppression if it works again.",
    "sending.gate_complained": "The person complained about an earlier email.",
    "sending.gate_protected": "The address is on the account's list of suppressions.",
    "sending.gate_consent": "Has not agreed to marketing email.",
    "sending.gate_topic": "Has turned the topic off.",
    "sending.gate_frequency": "Got as many marketing emails lately as the account allows.",
    "sending.quiet_hours": "Waits until the quiet hours of this person end.",
    "sending.held_out": "Held out, for comparison.",
    "sending.daily_cap": "Waits until the account's daily limit has room.",
    "sending.warming_up": "Waits, since the addresses that send are being warmed up.",
    "sending.provider_held": "Waits, since the provider takes no mail now.",
    "sending.standing_held": "Waits, since the account's marketing is held.",
    "sending.cancelled": "The campaign was cancelled before.",
    "sending.retrying": "The server put the email off. It is tried again.",
    "sending.campaign_paused": "Waits, since the campaign is paused."
  } as Names
}

/** The shape of the texts of every language. */
export type CampaignTexts = typeof campaignsEn
