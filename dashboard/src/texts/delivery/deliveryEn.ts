/**
 * The texts of standing, reports and held mail in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

type Names = Readonly<Record<string, string>>

const emails = (shown: string, count: number): string => `${shown} ${plural(count, "email", "emails")}`

/** The texts. */
export const deliveryEn = {
  alignment: {
    title: "What large providers require",
    text: "Google, Yahoo and Microsoft require this of senders of 5,000 or more messages a day.",
    outcomes: { Pass: "Passes", Warn: "Warning", Fail: "Error" } as Names,
    checks: {
      Dkim: "Signature of your domain (DKIM)",
      Spf: "Authorised servers (SPF)",
      Dmarc: "Policy (DMARC)",
      Unsubscribe: "Unsubscribing with one click",
      Mx: "Sender's domain receives mail",
      Ptr: "Reverse DNS of sending addresses",
      Relay: "Relay",
      Tls: "Encryption"
    } as Names,
    seen: "Found",
    expected: "Expected",
    fix: "Fix",
    nothing: "nothing"
  },
  guide: {
    title: "Where to publish them",
    text: "Publish the records with your DNS provider, which may not be the registrar of the domain.",
    incomplete:
      "Email from this domain can be sent. Publish the records that are not found: large providers require them.",
    provider: "DNS provider",
    names: {
      other: "Other",
      cloudflare: "Cloudflare",
      godaddy: "GoDaddy",
      google: "Google Cloud DNS",
      hetzner: "Hetzner",
      ionos: "IONOS",
      namecheap: "Namecheap",
      route53: "Amazon Route 53"
    } as Names,
    steps: {
      other:
        "Open the list of DNS records of the domain, and add each record. Many providers append the domain to each name: there, enter the name without it.",
      cloudflare:
        "Open the domain, DNS, Records, and add each record. Set CNAME records to “DNS only”: proxied records are not found.",
      godaddy: "Open the domain, DNS, and add each record. Enter names without your domain.",
      google:
        "Open Cloud DNS, the zone, and add a record set for each. Write TXT values in quotes, and names in full.",
      hetzner: "Open the zone in the DNS console, and add each record. Enter names without your domain.",
      ionos: "Open Domains, the domain, DNS, and add each record. Enter names without your domain.",
      namecheap:
        "Open Domain List, Manage, Advanced DNS, and add each record. Enter names without your domain; MX records need Custom MX under Mail Settings.",
      route53:
        "Open the hosted zone, and create each record. Write TXT values in quotes, and split a value of more than 255 characters into several quoted strings."
    } as Names,
    bimi: "Your logo in the inbox (BIMI)",
    bimiText: (name: string) =>
      `It is shown once the domain's DMARC policy is quarantine or reject. Publish a TXT record ${name} with v=BIMI1; l= and the https address of the logo as SVG. Gmail and Apple Mail also ask for a certificate of the logo.`
  },
  standing: {
    title: "Standing",
    notices: "Held mail",
    noticesText:
      "Providers and servers that do not accept email of this account at the moment, or did not earlier.",
    noNotices: "No provider has held email of this account.",
    text: "How receiving servers and people respond to email from this account.",
    states: { Good: "Good", Notice: "Warning", Held: "Marketing held" } as Names,
    stateTexts: {
      Good: "No rate is near a threshold.",
      Notice:
        "A rate has reached the level at which providers start to distrust a sender. Nothing is held yet.",
      Held: "Marketing email waits, campaigns are paused and cannot be launched. Transactional email is not affected."
    } as Names,
    heldUntil: "The hold ends",
    operator: "The hold ends when an operator lifts it, with a reason.",
    ramp: (shown: string) => `After the last hold, at most ${shown} marketing emails are sent today.`,
    reason: (rate: string, value: string, threshold: string, days: string) =>
      `${rate}: ${value} in ${days}; the threshold is ${threshold}`,
    at: (provider: string) => `at ${provider}`,
    rateHead: "Rate",
    rateNames: {
      complaints: "Complaints",
      observed: "Spam rate reported by Gmail",
      bounces: "Hard bounces",
      policy: "Policy rejections"
    } as Names,
    days: "Period",
    daysOf: { "1": "1 day", "7": "7 days", "30": "30 days" } as Names,
    periods: { "1": "1 day", "7": "7 days", "30": "30 days" } as Names,
    rates: "By provider and domain",
    noRates: "No deliveries in this period.",
    provider: "Provider",
    domain: "Domain",
    stream: "Kind",
    streams: { Transactional: "Transactional", Marketing: "Marketing" } as Names,
    handed: "Answered",
    delivered: "Accepted",
    bounced: "Bounced",
    policy: "Rejected",
    complained: "Complained",
    unsubscribed: "Unsubscribed",
    opened: "Opened",
    clicked: "Clicked",
    course: (rate: string) => `${rate}: the last 30 days`,
    source: "Sent from",
    sources: "By sending address (IP)",
    anySource: "Default address",
    thresholds: "Thresholds over 7 days",
    notice: "Warning from",
    held: "Marketing held from",
    observations: "Rates shown only to you",
    observationsText:
      "Google sends no complaints to the service. Enter the rate that Postmaster Tools shows for your domain.",
    noObservations: "No rates entered.",
    enter: "Enter a rate",
    day: "Day",
    rate: "Spam rate (%)",
    rateHint: "As Postmaster Tools shows it, such as 0.1.",
    notANumber: "Enter a number from 0 to 100.",
    replace: "Replace the rate of that day, if there is one",
    entered: "Rate saved"
  },
  reports: {
    text: "Daily reports of mail servers about email from your domains.",
    kind: "Reports",
    kinds: { dmarc: "DMARC", tls: "Encryption (TLS)" } as Names,
    day: "Day",
    domain: "Domain",
    network: "Sent from",
    rest: "Other networks",
    dkim: "DKIM",
    spf: "SPF",
    aligned: "aligned",
    notAligned: "not aligned",
    disposition: "Receivers",
    dispositions: {
      None: "accepted",
      Pass: "accepted",
      Quarantine: "marked as spam",
      Reject: "rejected"
    } as Names,
    messages: "Messages",
    policy: "Policy",
    policies: { tlsa: "DANE", sts: "MTA-STS", "no-policy-found": "None" } as Names,
    result: "Result",
    success: "Encrypted",
    host: "Server",
    unknownHost: "unknown",
    sessions: "Connections",
    empty: "Reports appear here",
    emptyText:
      "Mail servers send reports daily to the addresses in the domain's DNS records. The domain's page shows them.",
    period: "Period",
    periods: { "7": "7 days", "30": "30 days", "90": "90 days" } as Names
  },
  held: {
    tab: "Delivery",
    text: "Providers and servers that are not accepting email, with their replies. Held email waits and uses no attempts.",
    state: "State",
    states: { Open: "Open", Resolved: "Ended" } as Names,
    lane: "Destination",
    domainOf: (domain: string) => `Recipients at ${domain}`,
    words: "Why",
    operator: "Held by an operator",
    sender: "Sending domain",
    scope: "Applies to",
    everyone: "All accounts",
    held: "Held",
    since: "Since",
    until: "Next attempt",
    ended: "Ended",
    open: "Show",
    remedy: "Next steps",
    help: "The provider's page for senders",
    rule: "Rule",
    action: "Action",
    suspend: "Hold mail",
    suspendText: "Mail waits until the hold ends or is resumed.",
    by: "Mail to",
    bys: { provider: "A provider", domain: "A domain of recipients", site: "Server addresses" } as Names,
    provider: "Provider",
    name: { provider: "Provider", domain: "Domain", site: "Addresses" } as Names,
    account: "Account",
    reason: "Reason",
    reasonHint: "Recorded in the audit log.",
    hours: "Duration (hours)",
    hoursHint: "At most 120. Leave empty for the maximum.",
    suspended: "The mail is held",
    resume: "Resume slowly",
    resumed: "Mail resumes, slowly at first",
    flush: "Send now",
    flushTitle: "Send the held email now?",
    flushText: (shown: string, count: number) =>
      `${emails(shown, count)} to this destination ${plural(count, "is", "are")} sent at once, without the slow start. If the server still accepts no mail, the hold becomes longer.`,
    flushed: (shown: string, count: number) =>
      `${emails(shown, count)} ${plural(count, "is", "are")} being sent`,
    bounce: "Give up",
    bounceTitle: "Give up the held email?",
    bounceText: (shown: string, count: number) =>
      `${emails(shown, count)} ${plural(count, "fails and is", "fail and are")} never sent. The recipients are not suppressed. This cannot be undone.`,
    bounced: (shown: string, count: number) =>
      `${emails(shown, count)} ${plural(count, "was", "were")} given up`,
    empty: "Nothing is held",
    emptyText:
      "Destinations appear here when a server accepts no mail at the moment, or when you hold mail to them.",
    explain: "Explain an address",
    explainText: "Shows where mail to it is sent, and what holds it.",
    to: "Address or domain",
    ask: "Explain",
    leadsTo: "Destination",
    noLane: "No mail has been sent there yet.",
    servers: "Servers",
    connections: "Connections",
    inUse: (used: string, width: string) => `${used} of ${width}`,
    encryption: "Encryption",
    encryptions: {
      Dane: "DANE: the certificate its TLSA records name",
      Sts: "MTA-STS: a valid certificate",
      Required: "Required",
      Offered: "Where offered"
    } as Names,
    from: "Sent from",
    system: "System address",
    last: "Last reply",
    next: "Next email",
    notHeld: "Nothing holds mail to it.",
    classify: "Explain a reply",
    classifyText: "Shows how the service treats a server's reply. Nothing is changed.",
    reply: "Reply",
    replyHint: "Such as 550 5.7.1 Service unavailable.",
    stage: "After",
    stages: {
      Connect: "Connecting",
      Ehlo: "EHLO",
      Mail: "MAIL FROM",
      Rcpt: "RCPT TO",
      Data: "DATA",
      Message: "The message"
    } as Names,
    actions: {
      Accept: "It is accepted.",
      Retry: "This email is tried again later.",
      SlowDown: "Fewer emails are sent there for a time.",
      PauseSource: "All mail there is held for a time.",
      PauseSender: "Mail of this sending domain is held there for a time.",
      PauseSite: "All mail to these servers is held for a time.",
      FailMessage: "This email fails; the recipient is not suppressed.",
      Mailbox: "The mailbox takes no more; the recipient is not suppressed.",
      Bounce: "The address does not exist, and is suppressed.",
      Probe: "Another email is tried, to find out what is refused."
    } as Names,
    accounts: "Standing of accounts",
    company: "Company",
    standing: "Standing",
    why: "Why",
    lift: "Lift the hold",
    liftText:
      "At most 1,000 marketing emails are sent on the first day, and twice as many on each day after.",
    lifted: (name: string) => `Marketing email of ${name} is sent again`
  }
}

/** The shape of the texts of every language. */
export type DeliveryTexts = typeof deliveryEn
