/**
 * The texts of relays and of the routes of mail, in English.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The texts. */
export const relaysEn = {
  title: "Relays",
  text: "Providers and SMTP servers that deliver this company's email.",
  add: "Add a relay",
  addText: "The login is checked when the relay is added. No email is sent.",
  edit: "Change",
  editTitle: (name: string) => `Change ${name}`,
  saved: (name: string) => `${name} was saved`,
  none: "Email is sent the way the installation is configured. Add a relay, such as Amazon SES, to send through it.",
  installed: {
    text: "The installation's providers and SMTP servers.",
    none: "No relays"
  },
  name: "Name",
  kind: "Provider",
  kinds: {
    Smtp: "Other SMTP server",
    AmazonSes: "Amazon SES",
    Postmark: "Postmark",
    Mailgun: "Mailgun",
    SendGrid: "SendGrid",
    Brevo: "Brevo",
    Mailjet: "Mailjet",
    SparkPost: "SparkPost",
    Resend: "Resend"
  } as Names,
  host: "Server",
  port: "Port",
  security: "Encryption",
  securities: {
    Starttls: "STARTTLS, usually port 587",
    Implicit: "TLS, usually port 465"
  } as Names,
  user: "User name",
  password: "Password",
  keepPassword: "Leave empty to keep the login.",
  passwordAgain: "Enter the password again to change the server or the user name.",
  streams: "Used for",
  streamNames: { Transactional: "Transactional email", Marketing: "Marketing email" } as Names,
  maxPerSecond: "Messages per second",
  dailyLimit: "Daily email limit",
  noLimit: "Leave empty for no limit.",
  reports: "Reports",
  reportsText: "Used to verify reports of bounces and complaints from the provider.",
  reportFields: {
    topicArn: "ARN of the SNS topic",
    configurationSet: "Configuration set",
    publicKey: "Verification key",
    signingKey: "HTTP webhook signing key",
    secret: "Signing secret",
    username: "User name of the webhook",
    password: "Password of the webhook"
  } as Names,
  isSet: "Set (hidden). Leave empty to keep it.",
  feedbackUrl: "Report URL",
  feedbackText: "Use this URL for the webhook at the provider.",
  lastReport: "Last report",
  noReport: "No report received yet.",
  refusedReports: "Reports are rejected until their verification is configured.",
  unreported: (share: string, messages: string) =>
    `${share} of its last ${messages} messages older than 24 hours have no report.`,
  setUp: "Reports are missing",
  steps: {
    AmazonSes:
      "Let a configuration set publish all events to an SNS topic, and subscribe the report URL to the topic. Then enter the topic and the configuration set in the relay.",
    Postmark:
      "Add a webhook with the report URL, its user name, its password and all events to each message stream.",
    Mailgun:
      "Add the report URL as the webhook of every event of the sending domain, and enter the signing key in the relay.",
    SendGrid:
      "Add an event webhook with the report URL and all events, turn its signature on, and enter its key in the relay.",
    Brevo: "Add a transactional webhook with the report URL, its user name and password, and all events.",
    Mailjet: "Enter the report URL, with its user name and password, for every event of the event API.",
    SparkPost: "Add a webhook with the report URL, basic authentication and all events.",
    Resend: "Add a webhook with the report URL and all events of emails, and enter its secret in the relay."
  } as Names,
  lastRefusal: "Last account rejection",
  noReports: "It reports by email, or not at all.",
  states: { Active: "Working", Failing: "Failing" } as Names,
  reasons: {
    "relays.unreachable": "The server cannot be reached. Check its name and port.",
    "relays.tls_failed":
      "No encrypted connection could be made. Check the encryption setting and the server's certificate.",
    "relays.login_failed": "The login was rejected. Check the user name and password.",
    "relays.account_refused": "The provider rejects the whole account. Contact the provider."
  } as Names,
  words: "Reply:",
  check: "Check login",
  checks: {
    title: (name: string) => `Login check: ${name}`,
    ok: "The login works. No email was sent.",
    failed: "The login does not work.",
    steps: { Connect: "Connect", Tls: "Encrypt", Authenticate: "Log in" } as Names,
    took: (millis: string) => `${millis} ms`
  },
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: (named: string, only: string, onlyCount: number) =>
    `Its login is erased. It is a route for ${named} of the 2 kinds of email (transactional and marketing), and the only route for ${only}${onlyCount === 0 ? "." : `: ${onlyCount === 1 ? "its" : "their"} email waits until you choose another.`}`,
  removed: (name: string) => `${name} was removed`,
  guide: "Guides by provider",
  ways: {
    title: "Routing",
    text: "The first available relay is used; the next ones are fallbacks.",
    transactional: "Transactional email",
    marketing: "Marketing email",
    none: "Installation default",
    direct: "Direct to recipients' servers",
    shared: (name: string) => `${name} (installation)`,
    choose: "Choose a route",
    addLabel: "Add a route",
    removeOne: (name: string) => `Remove ${name}`,
    saved: "Routing saved",
    sandbox: "A sandbox sends no email. Configure routing in the live account."
  }
}

/** The shape of the texts of every language. */
export type RelayTexts = typeof relaysEn
