/**
 * The texts of relays and of the ways that mail takes, in English.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The texts. */
export const relaysEn = {
  title: "Relays",
  text: "Mail providers and servers of your own that take this company's email and deliver it.",
  add: "Add a relay",
  addText: "The login is checked as soon as it is added. Nothing is sent.",
  edit: "Change",
  editTitle: (name: string) => `Change ${name}`,
  saved: (name: string) => `${name} was saved`,
  none: "Email leaves as the installation sends it. Add a provider, such as Amazon SES, to send through it.",
  installed: {
    text: "Providers and servers of the installation that take mail for any recipient.",
    none: "There is no relay"
  },
  name: "Name",
  kind: "Provider",
  kinds: {
    Smtp: "Another SMTP server",
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
    Starttls: "STARTTLS, usual at port 587",
    Implicit: "From the start, usual at port 465"
  } as Names,
  user: "User name",
  password: "Password",
  keepPassword: "Empty to keep the login as it is.",
  passwordAgain: "Enter the password again to change the server or the user name.",
  streams: "Takes",
  streamNames: { Transactional: "Transactional email", Marketing: "Marketing email" } as Names,
  maxPerSecond: "Most messages a second",
  dailyLimit: "Most emails a day",
  noLimit: "Empty for no limit.",
  reports: "Reports",
  reportsText: "What verifies that reports of bounces and complaints come from the provider.",
  reportFields: {
    topicArn: "ARN of the SNS topic",
    configurationSet: "Configuration set",
    publicKey: "Verification key",
    signingKey: "HTTP webhook signing key",
    secret: "Signing secret",
    username: "User name of the webhook",
    password: "Password of the webhook"
  } as Names,
  isSet: "Set, not shown. Empty to keep it.",
  feedbackUrl: "Address for reports",
  feedbackText: "Enter the address for reports at the provider, for its webhook.",
  lastReport: "Last report",
  noReport: "No report arrived yet.",
  refusedReports: "Its reports are refused until what verifies them is set.",
  unreported: (share: string, messages: string) =>
    `${share} of its latest ${messages} messages older than 24 hours were never reported on.`,
  setUp: "Reports are missing",
  steps: {
    AmazonSes:
      "Let a configuration set publish all events to an SNS topic, subscribe the address for reports to it, and enter both in the relay.",
    Postmark:
      "Add a webhook with the address for reports to each message stream, with its user name, its password and all events.",
    Mailgun:
      "Add the address for reports as webhook of every event of the sending domain, and enter its signing key in the relay.",
    SendGrid:
      "Add an event webhook with the address for reports and all events, switch its signature on, and enter its key in the relay.",
    Brevo:
      "Add a transactional webhook with the address for reports, its user name and password, and all events.",
    Mailjet:
      "Enter the address for reports, with its user name and password, for every event of the event API.",
    SparkPost: "Add a webhook with the address for reports, basic authentication and all events.",
    Resend:
      "Add a webhook with the address for reports and all events of emails, and enter its secret in the relay."
  } as Names,
  lastRefusal: "It last refused the account",
  noReports: "It reports by mail, or not at all.",
  states: { Active: "Works", Failing: "Fails" } as Names,
  reasons: {
    "relays.unreachable": "The server cannot be reached. Check its name and port.",
    "relays.tls_failed":
      "No encrypted connection was made. Check the encryption and the server's certificate.",
    "relays.login_failed": "The login was refused. Check user name and password.",
    "relays.account_refused": "The provider refuses the whole account. Ask it why."
  } as Names,
  words: "It replied:",
  check: "Check the login",
  checks: {
    title: (name: string) => `The login at ${name}`,
    ok: "The login works. Nothing was sent.",
    failed: "The login does not work.",
    steps: { Connect: "Connect", Tls: "Encrypt", Authenticate: "Log in" } as Names,
    took: (millis: string) => `${millis} ms`
  },
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: "Its login is erased. Email whose only way it is waits until you choose another way.",
  removed: (name: string) => `${name} was removed`,
  guide: "Steps by provider",
  ways: {
    title: "The way of this account's email",
    text: "The first that takes an email is used; the next ones take over where it cannot be reached.",
    transactional: "Transactional email",
    marketing: "Marketing email",
    none: "As the installation sends",
    direct: "Directly to recipients' servers",
    shared: (name: string) => `${name}, of the installation`,
    choose: "Choose a way",
    addLabel: "Add a way",
    removeOne: (name: string) => `Remove ${name}`,
    saved: "The way was saved",
    sandbox: "A sandbox sends nothing to anybody. Choose the ways in the live account."
  }
}

/** The shape of the texts of every language. */
export type RelayTexts = typeof relaysEn
