/**
 * Relays as their form holds them: the parts of the login, the providers' servers, and the fields that verify each provider's
 * reports.
 *
 * @module
 */

/** How a connection to a relay is encrypted. */
export type RelaySecurity = "Starttls" | "Implicit"

/** A relay's login as typed in the form. */
export interface RelayLogin {
  readonly host: string
  readonly port: string
  readonly security: RelaySecurity
  readonly user: string
  /** Empty to keep the current password. */
  readonly password: string
}

/** What the service returns instead of a password. */
const hidden = "***"

const ports: Readonly<Record<RelaySecurity, string>> = { Starttls: "587", Implicit: "465" }

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The login in a relay's URL as returned by the service, without the password. */
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

/** The URL for a login. Other parts of `shownUrl`, such as the number of connections, are kept. */
export const urlOfLogin = ({ host, password, port, security, user }: RelayLogin, shownUrl = ""): string => {
  const credentials =
    user === "" && password === "" ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  const name = host.trim()
  const shown = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name
  const at = port.trim() === "" ? "" : `:${port.trim()}`
  return `${security === "Implicit" ? "smtps" : "smtp"}://${credentials}${shown}${at}${URL.parse(shownUrl)?.search ?? ""}`
}

/** Whether a login differs from the one the service returned. */
export const isLoginChanged = (login: RelayLogin, shownUrl: string): boolean =>
  JSON.stringify(login) !== JSON.stringify(loginOf(shownUrl))

/** The server of each provider, and the user name if it is the same for all of the provider's customers. */
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

/** A field that verifies reports. */
export type ReportField =
  | "topicArn"
  | "configurationSet"
  | "publicKey"
  | "signingKey"
  | "secret"
  | (typeof webhookLogin)[number]

/** The fields that verify the reports of each provider. */
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

/** The fields that the service never returns. */
export const secretReportFields: ReadonlySet<ReportField> = new Set(["signingKey", "secret", "password"])

/** The number of streams that have the relay as a route, and how many of these have no other route. */
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
