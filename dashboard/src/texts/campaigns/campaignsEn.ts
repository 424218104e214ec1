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
  text: "Send one message to the people of your segments.",
  name: "Campaign",
  nameHint: "Only you and your colleagues see it.",
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
    Preparing: "The audience is being read.",
    Testing: "The test variants are being sent.",
    Deciding: "The test has ended. Choose the variant that everyone else receives.",
    Delivering: "Emails are being sent.",
    Waiting: "The remaining recipients are waiting for their time."
  } as Names,
  pauses: {
    "campaigns.paused_by_operator": "Paused by a person. Nothing is sent until it is resumed.",
    "campaigns.check_failed": "A check failed at its scheduled time. Fix the problem, then resume.",
    "campaigns.bounces": "Too many addresses bounced. Review them before you resume.",
    "campaigns.complaints": "Too many people complained. Review what they signed up for before you resume.",
    "campaigns.render_failures": "The content could not be rendered for many people. Fix it, then resume.",
    "campaigns.sender_failing":
      "The sender is no longer on a verified domain. Fix the domain's records, then resume.",
    "campaigns.standing": "Marketing email of this account is held. Resume when the hold ends."
  } as Names,
  pausedAnyway: "It is paused.",
  audience: "People",
  audienceLabel: "Audience",
  results: "Results",
  changed: "Changed",
  by: "By",
  opened: "Opened",
  clicked: "Clicked",
  empty: "Campaigns appear here",
  emptyText: "Write a message, choose its audience, and follow its results.",
  create: "New campaign",
  search: "Name or subject",
  createText: "The campaign is created as a draft. Nothing is sent until you launch it.",
  created: (name: string) => `${name} was created`,
  createAction: "Create",
  copyFor: {
    Same: "Copy",
    NotOpened: "Copy for people who did not open it",
    NotClicked: "Copy for people who did not click",
    NotSent: "Copy for people who did not receive it"
  },
  copied: (name: string) => `${name} was copied. This is the copy.`,
  rename: "Rename",
  renamed: "Campaign renamed",
  remove: "Delete",
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText: "Nothing was sent. The draft cannot be restored.",
  removed: (name: string) => `${name} was deleted`,
  steps: { who: "Audience", what: "Content", when: "Schedule", check: "Review" } as Names,
  stepsLabel: "Steps",
  next: { who: "Next: content", what: "Next: schedule", when: "Next: review and launch" } as Names,
  saves: {
    saved: "Saved",
    waiting: "Unsaved changes",
    saving: "Saving…",
    failed: "Not saved"
  } as Names,
  undo: "Undo",
  meanwhile: (name: string) =>
    `${name} changed the campaign while you were editing. Your changes are not saved.`,
  someone: "Someone",
  takeTheirs: "Show theirs",
  keepMine: "Save mine",
  readOnly: "Your role can view campaigns but not change them.",
  who: {
    segments: "Include people in any of",
    exclude: "Exclude people in any of",
    add: "Add a segment",
    choose: "Choose a segment",
    none: "No segments yet. A campaign needs at least one.",
    noExclude: "Nobody is excluded.",
    removeOne: (name: string) => `Remove ${name}`,
    gone: "Deleted segment",
    topic: "Topic",
    topicHint: "People who turned it off do not receive the campaign.",
    noTopic: "None: consent alone decides",
    holdout: "Holdout group (%)",
    holdoutHint: "A random group that does not receive the campaign, for comparison. 0 to 50.",
    estimate: "Current audience",
    estimateText: "The audience is determined again when the campaign starts.",
    chosen: "Selected",
    reachable: "Reachable",
    sample: "Newest people",
    nobody: "These segments select nobody at the moment.",
    pick: "Choose a segment to see how many people it selects.",
    zones: "Time zones"
  },
  what: {
    source: "Content source",
    sources: { Template: "Template", Written: "Custom content" } as Names,
    template: "Template",
    chooseTemplate: "Choose a template",
    templateHint: "The newest version at launch is sent.",
    pinned: (shown: string) => `Version ${shown} is sent.`,
    newest: "Use the newest version",
    noTemplates: "No templates yet. Write the content here instead.",
    subject: "Subject",
    preheader: "Preheader",
    preheaderHint: "Shown after the subject in most inboxes.",
    html: "HTML",
    htmlHint: 'HTML or MJML, with Liquid such as {{ contact.firstName | default: "there" }}.',
    plain: "Text",
    plainHint: "Generated from the HTML if left empty.",
    sender: "Sender",
    from: "Address",
    fromHint: "On a verified domain. Leave empty for the account's default sender.",
    fromName: "Name",
    replyTo: "Reply-to",
    tracking: "Tracking",
    trackings: {
      Default: "Account default",
      Both: "Opens and clicks",
      Opens: "Opens only",
      Clicks: "Clicks only",
      None: "Nothing"
    } as Names,
    tags: "Tags",
    tagsHint: "Separate with commas. Used to filter lists."
  },
  preview: {
    title: "Preview",
    as: "Preview as",
    anyone: "A person with no data",
    loading: "Rendering…",
    none: "The preview appears here once there is content.",
    html: "Email",
    plain: "Text",
    noSubject: "No subject",
    problems: "Errors",
    findings: "Spam filter warnings",
    noHtml: "There is no HTML."
  },
  when: {
    when: "Send",
    options: {
      Launch: "At launch",
      Time: "At a set time",
      LocalTime: "At a local time of each recipient"
    } as Names,
    at: "Time",
    atHint: (zone: string) => `In your time zone, ${zone}.`,
    localTime: "Local time",
    localHint: "Each recipient receives it at this time in their own time zone. This takes up to 26 hours.",
    late: "If the time has passed for a recipient",
    lates: { SendNow: "Send at once", Skip: "Skip" } as Names,
    launchHint: "The first emails are sent within seconds."
  },
  pace: {
    title: "Pace",
    emails: "Maximum emails",
    hint: "Spread evenly. Leave empty to send as fast as receiving servers accept.",
    per: "Per",
    units: { Minute: "Minute", Hour: "Hour", Day: "Day" } as Names
  },
  window: {
    title: "Sending hours and limits",
    on: "Send only within certain hours",
    hint: "In each recipient's time zone.",
    from: "From",
    to: "Until",
    days: "Days"
  },
  quiet: {
    title: "Account quiet hours",
    hint: "Configured in the account's settings.",
    choices: { Respect: "Respect", Ignore: "Ignore" } as Names
  },
  capped: {
    title: "Recipients over the frequency cap",
    hint: "Caps are configured in the account's settings.",
    choices: { Skip: "Skip", Wait: "Wait" } as Names,
    hours: "Hours",
    hoursHint: "1 to 72. Recipients still over a cap afterwards are skipped."
  },
  test: {
    title: "A/B test",
    text: "Part of the audience receives the variants; the rest receives the winner.",
    on: "Message",
    ons: { One: "Same for everyone", Test: "A/B test" } as Names,
    variants: "Variants",
    variant: (id: string, name: string | null) =>
      name === null || name === "" ? `Variant ${id.toUpperCase()}` : `${id.toUpperCase()}: ${name}`,
    name: "Variant name",
    add: "Add a variant",
    removeOne: (name: string) => `Remove ${name}`,
    share: "Test group (%)",
    shareHint: "Divided equally among the variants. 100 compares them without choosing a winner.",
    metric: "Metric",
    metrics: { Clicks: "Clicks", Opens: "Opens" } as Names,
    metricHint: "Counts people among delivered emails. Machines do not count.",
    hours: "Test duration (hours)",
    hoursHint: "1 to 168, after the last test email was sent.",
    decide: "Winner chosen",
    decides: { Auto: "Automatically", Manual: "Manually" } as Names,
    confidence: "Confidence (%)",
    confidenceHint: "80 to 99. The certainty required that the difference is not chance.",
    undecided: "If the result is not significant",
    undecideds: { First: "Send variant A", Ask: "Ask a person" } as Names,
    winner: "Winner",
    pick: (name: string) => `Choose ${name} as winner`,
    picked: (name: string) => `${name} is the winner`,
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
    text: "Web analytics use these parameters to attribute visits to the campaign.",
    on: "Add UTM parameters to links",
    contentHint: "Leave empty for the variant's letter."
  },
  trial: {
    title: "Test email",
    text: "Sent to members and to the test addresses in the settings. Not counted in statistics.",
    to: "Addresses",
    toHint: "Up to 10, separated by commas.",
    variant: "Variant",
    send: "Send a test",
    sent: (shown: string, count: number) => `Sent to ${shown} ${plural(count, "address", "addresses")}`,
    refused: (email: string) => `${email} is suppressed, so no test was sent to it.`
  },
  check: {
    title: "Review before launch",
    none: "Ready to launch.",
    errors: (shown: string, count: number) =>
      `${shown} ${plural(count, "error prevents", "errors prevent")} the launch.`,
    severities: { Error: "Error", Warning: "Warning" } as Names,
    concerns: (shown: string, count: number) => `Affects ${people(shown, count)} of the sample.`,
    goTo: "Show",
    again: "Check again",
    unsaved: "Your changes are not saved, so they cannot be checked.",
    to: (shown: string, count: number) => `Send to ${people(shown, count)}`,
    scheduleTo: (shown: string, count: number) => `Schedule for ${people(shown, count)}`,
    noTime: "Choose the time at which it is sent.",
    noRight: "Your role can edit campaigns but not launch them."
  },
  launch: {
    title: (name: string) => `Launch ${name}?`,
    now: (shown: string, count: number) =>
      `The segments currently select ${people(shown, count)}. Sending starts at once, to those whose consent, topics and suppressions allow it. You can pause the campaign, but email that was sent cannot be recalled.`,
    later: (shown: string, count: number, time: string) =>
      `The segments currently select ${people(shown, count)}. The audience is determined again at ${time}. Until then you can unschedule the campaign.`,
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
      Missing: "Launching to this many people may need the approval of someone other than its last editor.",
      Requested: "Waiting for someone other than its last editor to approve or reject it.",
      Approved: "The campaign can be launched. Changing what is sent voids the approval.",
      Rejected: "Change the campaign and request approval again."
    } as Names,
    actions: { Request: "Request approval", Approve: "Approve", Reject: "Reject" },
    actionTexts: {
      Request: "People who can launch campaigns can approve it.",
      Approve: "You vouch for its content and its audience as they are now.",
      Reject: "It cannot be launched until it is approved."
    },
    comment: "Comment",
    done: { Request: "Approval requested", Approve: "Approved", Reject: "Rejected" }
  },
  retry: {
    title: "Try again",
    text: "People who received the campaign do not receive it again.",
    what: {
      RenderFailed: "Content that could not be rendered",
      NotDelivered: "Email that was not delivered"
    },
    whatTexts: {
      RenderFailed: "For use after you have fixed the content, or the fields of these people.",
      NotDelivered: "Email that failed temporarily. Addresses that do not exist are excluded."
    },
    none: "Nothing to retry",
    done: (shown: string, count: number) => `Trying ${people(shown, count)} again`
  },
  links: {
    title: "Clicks by link",
    link: "Link",
    own: "All other links",
    human: "People",
    unknown: "Unknown",
    machine: "Machines",
    clicks: "All clicks",
    show: "Show on the email",
    shown: "Clicks on the email",
    shownText: "Each link with its number and the people who clicked it, without machines.",
    noHtml: "This email has no HTML part."
  },
  scheduledFor: "Starts",
  unschedule: "Back to draft",
  unscheduled: "The campaign is a draft again. Nothing was sent.",
  pause: "Pause",
  paused: "Campaign paused",
  resume: "Resume",
  resumed: "Campaign resumed",
  cancel: "Cancel campaign",
  cancelTitle: (name: string) => `Cancel ${name}?`,
  cancelText: (got: string, gotCount: number, rest: string, restCount: number) =>
    `${people(got, gotCount)} have received it or still will; this cannot be undone. ${people(rest, restCount)} will not receive it. A cancelled campaign cannot be resumed.`,
  cancelReason: "Reason",
  cancelReasonHint: "Shown in the history of the campaign and in the audit log.",
  cancelled: "Campaign cancelled",
  progress: "Processed",
  progressOf: (done: string, all: string) => `${done} of ${all}`,
  nextAt: "Next emails due",
  perMinute: (shown: string) => `${shown} a minute`,
  etaAt: "Estimated end",
  waiting: "Waiting for",
  ownTime: "Scheduled for later.",
  until: "until",
  responses: "Responses",
  responseNames: {
    complained: "Complaints",
    unsubscribed: "Unsubscribed",
    topicOff: "Topic turned off",
    conversions: "Conversions",
    holdout: "Held out",
    lift: "Lift over the holdout group"
  } as Names,
  tooFew: "Too few orders",
  lift: (value: string, from: string, to: string) => `${value} (95 % confidence interval ${from} to ${to})`,
  outcomes: {
    reached: "Delivered",
    onItsWay: "In progress",
    failed: "Not delivered",
    uncertain: "Unknown",
    pending: "Pending",
    skipped: "Skipped",
    heldOut: "Held out",
    cancelled: "Cancelled"
  } as Names,
  outcome: "Outcome",
  count: "People",
  share: "Share",
  noAudience: "The audience has not been determined yet.",
  funnel: "Funnel",
  funnelSteps: {
    audience: "Audience",
    submitted: "Submitted",
    reached: "Delivered",
    opened: "Opened",
    clicked: "Clicked"
  } as Names,
  machines: (shown: string) => `and ${shown} by machines`,
  skippedBy: "Skipped recipients by reason",
  byStatus: "Emails by status",
  showPeople: "Show people",
  details: "Details",
  content: "Content",
  ownContent: "Custom content",
  launchedAt: "Launched",
  version: "Version",
  editContent: "Edit content",
  editTitle: "Edit content",
  editText: "Creates a new version for recipients who have not received the campaign yet.",
  newVersion: "New version saved",
  versions: "Versions",
  versionOf: (shown: string) => `Version ${shown}`,
  got: (shown: string, count: number) => `Sent to ${people(shown, count)}`,
  history: "History",
  breakdown: {
    title: "Breakdown",
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
    none: "Unknown",
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
    empty: "No emails yet."
  },
  compare: {
    title: "Compare campaigns",
    action: "Compare",
    hint: "Select 2 to 10 campaigns to compare.",
    chosen: (shown: string, count: number) => `${shown} ${plural(count, "campaign", "campaigns")} selected`,
    clear: "Clear selection",
    none: "Select campaigns in the list first",
    rates: "Rates are relative to delivered emails."
  },
  recipients: {
    title: "Recipients",
    person: "Person",
    erased: "Erased person",
    state: "State",
    states: {
      Pending: "Pending",
      Submitted: "Submitted",
      Skipped: "Skipped",
      HeldOut: "Held out",
      Cancelled: "Cancelled"
    } as Names,
    why: "Why",
    whyFilter: "Reason",
    email: "Email",
    decided: "Processed",
    due: "due",
    showEmail: "Show email",
    visits: "Visits",
    status: "Email status",
    converted: "Converted",
    unsubscribed: "Unsubscribed",
    yes: "Yes",
    no: "No",
    search: "Email address",
    empty: "Recipients appear here when the campaign starts",
    emptyText: "Everyone the segments select is listed, with their outcome."
  },
  reasons: {
    "campaigns.no_address": "No address, or erased.",
    "campaigns.duplicate_address": "Another contact with this address received the campaign.",
    "campaigns.local_time_passed": "The local time had passed when the campaign was launched.",
    "campaigns.render_failed": "The content could not be rendered for this person. Check for missing fields.",
    "campaigns.pace": "Waiting: the campaign has a pace limit.",
    "campaigns.window": "Waiting for the campaign's sending hours.",
    "campaigns.test": "Waiting for the winner of the A/B test.",
    "sending.gate_bounced": "The address bounced before. Lift the suppression if it works again.",
    "sending.gate_complained": "The person complained about an earlier email.",
    "sending.gate_protected": "The address is on the account's protective list.",
    "sending.gate_consent": "No consent to marketing email.",
    "sending.gate_topic": "Turned the topic off.",
    "sending.gate_frequency": "Over the account's frequency cap.",
    "sending.quiet_hours": "Waiting for the end of quiet hours.",
    "sending.held_out": "In the holdout group.",
    "sending.daily_cap": "Waiting: the account's daily limit is reached.",
    "sending.warming_up": "Waiting: the sending addresses are warming up.",
    "sending.provider_held": "Waiting: the provider is not accepting mail.",
    "sending.standing_held": "Waiting: the account's marketing is held.",
    "sending.held_too_long":
      "The provider accepted no mail for three days. Retry within a week of the campaign's end.",
    "sending.cancelled": "The campaign was cancelled before it was sent to this person.",
    "sending.retrying": "Deferred by the server. It is retried automatically.",
    "sending.campaign_paused": "Waiting: the campaign is paused."
  } as Names
}

/** The shape of the texts of every language. */
export type CampaignTexts = typeof campaignsEn
