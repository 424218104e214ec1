/**
 * The texts of providers, lanes, sources and pools in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

type Names = Readonly<Record<string, string>>

/** The texts. */
export const sourcesEn = {
  providers: {
    provider: "Provider",
    search: "Key or name",
    limit: "Connections",
    perConnection: "Emails on each",
    lanes: "Lanes in use",
    held: "Held",
    state: "State",
    sent: "Sent a minute",
    states: { paused: "Held", open: "Not held" } as Names,
    rules: "Limits",
    seeLanes: "Show lanes",
    empty: "No provider is known"
  },
  lanes: {
    lane: "Destination",
    from: "From",
    system: "system address",
    connections: "Connections",
    inUse: (used: string, width: string) => `${used} of ${width}`,
    rate: "Pace",
    perMinute: (shown: string) => `${shown} a minute`,
    noDelay: "unrestricted",
    held: "Held",
    oldest: "Held since",
    state: "State",
    states: { paused: "Held", failing: "Unreachable", open: "Not held" } as Names,
    strikes: (shown: string, count: number) =>
      `${shown} failed ${plural(count, "connection", "connections")} since it last accepted an email`,
    pausedUntil: "Held until",
    learned: "Last used",
    leases: "Connections by node",
    node: "Node",
    places: "Connections",
    expires: "Leased until",
    noLeases: "No node holds a connection now.",
    only: "Show",
    onlyPaused: "Held only",
    show: "Show",
    limits: "Set limits",
    overridden: "Limits set by an operator",
    empty: "No lanes in the last day",
    emptyText: "A lane appears with the first email to a provider or to the servers of a domain."
  },
  limits: {
    title: (name: string) => `Limits of ${name}`,
    text: "Values entered here replace the table's defaults across the installation within 5 seconds. Email over a limit waits; none is lost.",
    rule: "Rule",
    value: "In effect",
    from: "From",
    origins: { Table: "Table", File: "File", Override: "Operator", Learned: "Server" } as Names,
    names: {
      startWidth: "Initial connections",
      maxWidth: "Maximum connections",
      messagesPerConnection: "Emails per connection",
      messagesPerSecond: "Emails per second",
      connectionsPerMinute: "New connections per minute",
      idleSeconds: "Idle timeout (seconds)",
      tls: "Encryption",
      timeouts: "Timeouts"
    } as Names,
    timeouts: {
      openMs: "Connection timeout (seconds)",
      commandMs: "Command timeout (seconds)",
      answerMs: "Reply timeout (seconds)"
    } as Names,
    tls: {
      "": "Table default",
      offered: "Where offered",
      required: "Required",
      verified: "Verified"
    } as Names,
    hours: "Duration (hours)",
    hoursHint: "Leave empty to keep the limits until they are removed.",
    reason: "Reason",
    reasonHint: "Recorded in the audit log.",
    nothing: "Enter at least one limit.",
    notANumber: "Enter a whole number from 1 to 10,000.",
    notSeconds: "Enter a whole number of seconds from 1 to 3,600.",
    notHours: "Enter a number of hours above 0.",
    save: "Set limits",
    saved: (name: string) => `Limits of ${name} were set`,
    remove: "Use table defaults",
    removed: (name: string) => `${name} uses the table's limits again`
  },
  sources: {
    title: "Sending addresses",
    text: "The IP addresses that email is sent from. Without any, the operating system chooses.",
    add: "Add an address",
    addText:
      "An IP address of a machine of this installation. Its PTR record must resolve to its host name, and the host name back to the address.",
    address: "Address",
    addressHint: "IPv4 or IPv6.",
    name: "Host name",
    nameHint: "Sent in EHLO. Leave empty for the installation's mail host name.",
    pool: "Pool",
    force: "Send without a confirmed PTR record",
    forceHint: "IPv4 only. Many providers reject such email.",
    added: (address: string) => `${address} was added`,
    state: "State",
    states: {
      Unready: "Not ready",
      Warming: "Warming up",
      Active: "Active",
      Paused: "Paused",
      Retired: "Retired"
    } as Names,
    reasons: {
      "shaping.source_without_ptr":
        "Not sending: its PTR record is not confirmed. Set the record, then check it.",
      "shaping.source_without_node": "Not sending: no machine of the installation has this address."
    } as Names,
    warmUp: "Warm-up",
    day: (day: string, days: string) => `Day ${day} of ${days}`,
    noWarmUp: "None: no limit",
    sent: "Sent today",
    sentOf: (sent: string, cap: string) => `${sent} of ${cap}`,
    show: "Show",
    empty: "Email is sent from the system's default address",
    emptyText: "Add an address to choose it, to separate kinds of email, or to warm up a new one.",
    spf: "SPF record of all addresses",
    spfText: "Publish it, and include it in the SPF record of each sending domain's return path.",
    spfMissing: "SPF records without it",
    moreDomains: (count: string) => `${count} more`,
    sendsAs: "Host name",
    ptr: "PTR record",
    ptrConfirmed: (name: string) => `${name}, confirmed`,
    ptrWanted: (names: string, wanted: string) => `${names}; expected ${wanted}`,
    ptrNone: "none",
    ptrUnchecked: "Not checked yet",
    checked: "Checked",
    hosts: "Machines",
    noHosts: "none",
    forced: "Sends without a confirmed PTR record",
    started: "Started",
    movedBack: "Moved back",
    today: "Today by provider group",
    group: "Providers",
    groups: {
      google: "Google",
      microsoft: "Microsoft",
      yahoo: "Yahoo",
      apple: "Apple",
      other: "All others"
    } as Names,
    cap: "At most",
    noCap: "no limit",
    deferred: "Deferred",
    refused: "Refused",
    bounced: "Bounced",
    complained: "Complained",
    plan: "The plan",
    planDays: "Emails a day to each group",
    planDay: "Day",
    planAt: "Current",
    check: "Check PTR",
    wasChecked: { true: "The PTR record is confirmed", false: "The PTR record is not confirmed" } as Names,
    pause: "Pause",
    paused: (address: string, others: string, count: number) =>
      `${address} is paused; ${
        count === 0
          ? "no other address of its pool can send"
          : `${others} other ${plural(count, "address", "addresses")} of its pool ${plural(count, "continues", "continue")} to send`
      }`,
    activate: "Activate",
    activated: (address: string) => `${address} is active`,
    remove: "Remove",
    removeTitle: (address: string) => `Remove ${address}?`,
    removeText: (sent: string, count: number, others: string, otherCount: number, pool: string) =>
      `It sent ${sent} ${plural(count, "email", "emails")} today. ${
        otherCount === 0
          ? `No other address of the pool ${pool} can send: its email goes to the overflow pool, or waits if there is none.`
          : `${others} other ${plural(otherCount, "address", "addresses")} of the pool ${pool} ${plural(otherCount, "takes", "take")} over.`
      } Its statistics and warm-up progress are lost.`,
    removed: (address: string) => `${address} was removed`,
    edit: "Change",
    editTitle: (address: string) => `Change ${address}`,
    save: "Save",
    saved: (address: string) => `${address} was changed`
  },
  warmUp: {
    begin: "Start warm-up",
    move: "Change warm-up day",
    title: (address: string) => `Warm up ${address}`,
    text: "Providers defer and reject much email from unknown addresses. The limit rises each day that goes well; a block moves the plan back three days.",
    day: "Starting day",
    dayHint: (days: string) => `1 for a new address; at most ${days}.`,
    notADay: (days: string) => `Enter a day from 1 to ${days}.`,
    consequence: (cap: string, groups: string, all: string, left: string) =>
      `Today it sends at most ${cap} emails to each of ${groups} provider groups, ${all} in total. At least ${left} days remain. Marketing email over the limit uses other addresses of the pool or waits up to 72 hours; transactional email never waits.`,
    begun: (address: string) => `The warm-up of ${address} has started`,
    end: "End warm-up",
    endTitle: (address: string) => `End the warm-up of ${address}?`,
    endText: (cap: string, day: string, days: string) =>
      `It is on day ${day} of ${days}, with at most ${cap} emails today. Without the plan it has no limit from now on.`,
    ended: (address: string) => `The warm-up of ${address} has ended`
  },
  pools: {
    title: "Pools",
    text: "Groups of sending addresses. An account can use different pools for transactional and marketing email.",
    add: "Add a pool",
    key: "Key",
    keyHint: "Lower-case letters, digits and hyphens. Identifies the pool in settings.",
    name: "Name",
    overflow: "Overflow",
    overflowHint: "The pool used when no address of this pool is available.",
    none: "None: email waits",
    count: (shown: string, count: number) => `${shown} ${plural(count, "address", "addresses")}`,
    overflowsTo: (name: string) => `overflows into ${name}`,
    change: "Change",
    changeTitle: (name: string) => `Change ${name}`,
    save: "Save",
    added: (name: string) => `The pool ${name} was added`,
    changed: (name: string) => `The pool ${name} was changed`,
    remove: "Remove",
    removeTitle: (name: string) => `Remove the pool ${name}?`,
    removeText: (shown: string, count: number) =>
      `It has ${shown} ${plural(count, "address", "addresses")}. A pool that has addresses or is used by an account or another pool cannot be removed.`,
    removed: (name: string) => `The pool ${name} was removed`
  },
  used: {
    title: "Sending addresses",
    text: "Transactional and marketing email is sent from the addresses of these pools.",
    streams: { transactional: "Transactional", marketing: "Marketing" } as Names,
    warming: (shown: string, count: number) =>
      `${shown} ${plural(count, "email waits", "emails wait")} for an address to warm up. Email waits up to 72 hours.`,
    noWarming: "No email is waiting for an address to warm up.",
    look: "Show emails",
    change: "Change pools",
    changeText: "Applies from the next email on. Waiting email keeps its place.",
    save: "Save",
    saved: "The pools were changed"
  }
}

/** The shape of the texts of every language. */
export type SourceTexts = typeof sourcesEn
