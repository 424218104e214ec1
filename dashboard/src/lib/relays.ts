/**
 * Relays as a form holds them: the parts of a login, the servers of providers, and what verifies the reports of each.
 *
 * @module
 */

/** How a connection to a relay is encrypted. */
export type RelaySecurity = "Starttls" | "Implicit"

/** The login of a relay as it is typed. */
export interface RelayLogin {
  readonly host: string
  readonly port: string
  readonly security: RelaySecurity
  readonly user: string
  /** Empty for what is kept. */
  readonly password: string
}

/** What the service shows in the place of a password. */
const hidden = "***"

const ports: Readonly<Record<RelaySecurity, string>> = { Starttls: "587", Implicit: "465" }

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The login of a relay's URL as the service shows it, without its password. */
export const loginOf = (shownUrl: string): RelayLogin => {
  const url = URL.parse(shownUrl)
  const security = url?.protocol === "smtps:" ? "Implicit" : "Starttls"
  const user = decoded(url?.username ?? "")
  return {
    host: url?.hostname ?? "",
    port: url === null || url.port === "" ? ports[security] : url.port,
    security,
    user: user === hidden ? "" : user,
    password: ""
  }
}

/** The URL of a login. What `shownUrl` has beside it, such as its number of connections, stays. */
export const urlOfLogin = ({ host, password, port, security, user }: RelayLogin, shownUrl = ""): string => {
  const credentials =
    user === "" && password === "" ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  const name = host.trim()
  const shown = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name
  const at = port.trim() === "" ? "" : `:${port.trim()}`
  return `${security === "Implicit" ? "smtps" : "smtp"}://${credentials}${shown}${at}${URL.parse(shownUrl)?.search ?? ""}`
}

/** Whether a login differs from what the service shows of it. */
export const isLoginChanged = (login: RelayLogin, shownUrl: string): boolean =>
  JSON.stringify(login) !== JSON.stringify(loginOf(shownUrl))

/** The server of each provider, and the user name where every account has the same one. */
export const providerServers: Readonly<Record<string, { readonly host: string; readonly user?: string }>> = {
  Smtp: { host: "" },
  AmazonSes: { host: "email-smtp.eu-west-1.amazonaws.com" },
  Postmark: { host: "smtp.postmarkapp.com" },
  Mailgun: { host: "smtp.mailgun.org" },
  SendGrid: { host: "smtp.sendgrid.net", user: "apikey" },
  Brevo: { host: "smtp-relay.brevo.com" },
  Mailjet: { host: "in-v3.mailjet.com" },
  SparkPost: { host: "smtp.sparkpostmail.com", user: "SMTP_Injection" },
  Resend: { host: "smtp.resend.com", user: "resend" }
}

const webhookLogin = ["username", "password"] as const

/** A field of what verifies reports. */
export type ReportField =
  | "topicArn"
  | "configurationSet"
  | "publicKey"
  | "signingKey"
  | "secret"
  | (typeof webhookLogin)[number]

/** What verifies the reports of each provider. */
export const reportFields: Readonly<Record<string, ReadonlyArray<ReportField>>> = {
  Smtp: [],
  AmazonSes: ["topicArn", "configurationSet"],
  Postmark: webhookLogin,
  Mailgun: ["signingKey"],
  SendGrid: ["publicKey"],
  Brevo: webhookLogin,
  Mailjet: webhookLogin,
  SparkPost: webhookLogin,
  Resend: ["secret"]
}

/** The fields of reports that are never shown. */
export const secretReportFields: ReadonlySet<ReportField> = new Set(["signingKey", "secret", "password"])

/** In how many streams a relay is a route, and in how many of these the only one. */
export const relayUse = (
  delivery: {
    readonly transactional: ReadonlyArray<string> | null
    readonly marketing: ReadonlyArray<string> | null
  } | null,
  id: string
): { readonly named: number; readonly only: number } => {
  const routes = [delivery?.transactional ?? [], delivery?.marketing ?? []]
  const named = routes.filter((ways) => ways.includes(`relay:${id}`))
  return { named: named.length, only: named.filter(({ length }) => length === 1).length }
}
