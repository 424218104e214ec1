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
    states: { paused: "Held", open: "Open" } as Names,
    rules: "Limits",
    seeLanes: "Show lanes",
    empty: "No provider is known"
  },
  lanes: {
    lane: "Where to",
    from: "From",
    system: "the system's address",
    connections: "Connections",
    inUse: (used: string, width: string) => `${used} of ${width}`,
    rate: "Pace",
    perMinute: (shown: string) => `${shown} a minute`,
    noDelay: "without delay",
    held: "Held",
    oldest: "Held since",
    state: "State",
    states: { paused: "Held", failing: "Not reached", open: "Open" } as Names,
    strikes: (shown: string, count: number) =>
      `Could not be reached ${shown} ${plural(count, "time", "times")} since it last accepted an email`,
    pausedUntil: "Held until",
    learned: "Last used",
    leases: "Connections by node",
    node: "Node",
    places: "Connections",
    expires: "Leased until",
    noLeases: "No node holds a connection now.",
    only: "Show",
    onlyPaused: "Held ones",
    show: "Show",
    limits: "Set limits",
    overridden: "Limits set by an operator",
    empty: "No lane was used within a day",
    emptyText: "A lane appears with the first email to a provider or to the servers of a domain."
  },
  limits: {
    title: (name: string) => `Limits of ${name}`,
    text: "What is filled in replaces the table's figure in the whole installation within 5 seconds. Mail in excess waits; none is lost.",
    rule: "Rule",
    value: "In effect",
    from: "From",
    origins: { Table: "Table", File: "File", Override: "Operator" } as Names,
    names: {
      startWidth: "Connections at first",
      maxWidth: "Connections at most",
      messagesPerConnection: "Emails per connection",
      messagesPerSecond: "Emails a second",
      connectionsPerMinute: "New connections a minute",
      idleSeconds: "Seconds a connection is kept unused",
      tls: "Encryption"
    } as Names,
    tls: {
      "": "As in the table",
      offered: "Where offered",
      required: "Required",
      verified: "Verified"
    } as Names,
    hours: "For how many hours",
    hoursHint: "Empty until an operator ends it.",
    reason: "Reason",
    reasonHint: "It is kept in the audit log.",
    nothing: "Fill in one limit at least.",
    notANumber: "Enter a whole number from 1 to 10,000.",
    notHours: "Enter a number of hours above 0.",
    save: "Set limits",
    saved: (name: string) => `The limits of ${name} are set`,
    remove: "Use the table",
    removed: (name: string) => `${name} has the limits of the table again`
  },
  sources: {
    title: "Sending addresses",
    text: "The addresses that mail leaves from. Without any, the system chooses one.",
    add: "Add an address",
    addText:
      "An address on an interface of a machine of this installation. Its PTR record must lead to the name it sends as, and that name back to it.",
    address: "Address",
    addressHint: "IPv4 or IPv6.",
    name: "Name it sends as",
    nameHint: "In EHLO. Empty for the installation's host name for mail.",
    pool: "Pool",
    force: "Send without a confirmed PTR record",
    forceHint: "IPv4 only. Many providers refuse such mail.",
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
        "It sends nothing: no PTR record of it leads to its name and back. Set the record, then check it.",
      "shaping.source_without_node":
        "It sends nothing: no machine of the installation has it. Add it to an interface of one."
    } as Names,
    warmUp: "Warm-up",
    day: (day: string, days: string) => `Day ${day} of ${days}`,
    noWarmUp: "None: it sends what it is given",
    sent: "Sent today",
    sentOf: (sent: string, cap: string) => `${sent} of ${cap}`,
    show: "Show",
    empty: "Mail leaves from the address the system chooses",
    emptyText: "Add an address to choose it, to keep kinds of mail apart, or to warm a new one up.",
    spf: "SPF record of all addresses",
    spfText: "Publish it, and let the record of each sending domain's return path include it.",
    sendsAs: "Sends as",
    ptr: "PTR record",
    ptrConfirmed: (name: string) => `${name}, confirmed`,
    ptrWanted: (names: string, wanted: string) => `${names}; ${wanted} is wanted`,
    ptrNone: "none",
    ptrUnchecked: "Not checked yet",
    checked: "Checked",
    hosts: "Machines",
    noHosts: "none",
    forced: "Sends without a confirmed PTR record",
    started: "Begun",
    movedBack: "Moved back",
    today: "Today by group of providers",
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
    planAt: "So far",
    check: "Check PTR",
    wasChecked: { true: "The PTR record is confirmed", false: "The PTR record is not confirmed" } as Names,
    pause: "Pause",
    paused: (address: string, others: string, count: number) =>
      `Nothing leaves from ${address}; ${
        count === 0
          ? "no other address of its pool can send"
          : `${others} other ${plural(count, "address", "addresses")} of its pool ${plural(count, "goes", "go")} on`
      }`,
    activate: "Activate",
    activated: (address: string) => `${address} may send`,
    remove: "Remove",
    removeTitle: (address: string) => `Remove ${address}?`,
    removeText: (sent: string, count: number, others: string, otherCount: number, pool: string) =>
      `${sent} ${plural(count, "email has", "emails have")} left from it today. ${
        otherCount === 0
          ? `No other address of the pool ${pool} can send: its mail leaves from the pool's overflow, and waits where it has none.`
          : `${others} other ${plural(otherCount, "address", "addresses")} of the pool ${pool} ${plural(otherCount, "takes", "take")} its mail.`
      } Its counts and the place in its warm-up are lost.`,
    removed: (address: string) => `${address} was removed`,
    edit: "Change",
    editTitle: (address: string) => `Change ${address}`,
    save: "Save",
    saved: (address: string) => `${address} was changed`
  },
  warmUp: {
    begin: "Begin warm-up",
    move: "Move the warm-up",
    title: (address: string) => `Warm ${address} up`,
    text: "Providers defer and refuse much mail from an address they do not know. Each day that goes well lets a little more leave; a block moves the plan three days back.",
    day: "Day of the plan to begin at",
    dayHint: (days: string) => `1 for a new address; at most ${days}.`,
    notADay: (days: string) => `Enter a day from 1 to ${days}.`,
    consequence: (cap: string, groups: string, all: string, left: string) =>
      `Today at most ${cap} emails to each of ${groups} groups of providers leave from it, ${all} in all. At best ${left} days remain. Marketing in excess leaves from other addresses of the pool, else waits 72 hours at most; transactional mail never waits.`,
    begun: (address: string) => `The warm-up of ${address} has begun`,
    end: "End warm-up",
    endTitle: (address: string) => `End the warm-up of ${address}?`,
    endText: (cap: string, day: string, days: string) =>
      `It is on day ${day} of ${days}, with at most ${cap} emails today. Without the plan it sends all that it is given, from now on.`,
    ended: (address: string) => `${address} sends without a plan`
  },
  pools: {
    title: "Pools",
    text: "Groups of addresses. An account's settings name one for transactional and one for marketing mail.",
    add: "Add a pool",
    key: "Key",
    keyHint: "Lower case letters, digits and hyphens. Settings name the pool by it.",
    name: "Name",
    overflow: "Overflow",
    overflowHint: "The pool that takes mail for which no address of this one may be used.",
    none: "None: the mail waits",
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
      `It has ${shown} ${plural(count, "address", "addresses")}. A pool that has addresses, or that an account or another pool names, stays.`,
    removed: (name: string) => `The pool ${name} was removed`
  },
  used: {
    title: "Addresses this mail leaves from",
    text: "Transactional and marketing mail leave from the addresses of these pools.",
    streams: { transactional: "Transactional", marketing: "Marketing" } as Names,
    warming: (shown: string, count: number) =>
      `${shown} ${plural(count, "email waits", "emails wait")} until a new address may send more. Mail waits 72 hours at most.`,
    noWarming: "Nothing waits for the warm-up of an address.",
    look: "Show them",
    change: "Change pools",
    changeText: "From the next email on. Mail that waits keeps its place.",
    save: "Save",
    saved: "The pools were changed"
  }
}

/** The shape of the texts of every language. */
export type SourceTexts = typeof sourcesEn
