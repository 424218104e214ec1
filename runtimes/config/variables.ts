/**
 * Lists the names of the configuration variables, and finds variables in the environment that are not among them.
 *
 * @module
 */
import { nearest } from "../../core/shared/Validate.ts"

/** Every variable that configures the service. */
export const variables = [
  "SVC_ADMIN_TOKEN",
  "SVC_BACKUP_FILE",
  "SVC_BASE_URL",
  "SVC_DASHBOARD",
  "SVC_DATA_DIR",
  "SVC_DNS_SERVERS",
  "SVC_DNS_VALIDATES",
  "SVC_TLS_REPORTS",
  "SVC_HOST",
  "SVC_INBOUND_PORT",
  "SVC_LOG_LEVEL",
  "SVC_MACHINE_FILE",
  "SVC_MAIL_TRANSPORT",
  "SVC_MAX_CONNECTIONS",
  "SVC_MAX_CONNECTIONS_PER_NETWORK",
  "SVC_MAX_UNKNOWN_BYTES",
  "SVC_MX_LOCAL",
  "SVC_MX_PORT",
  "SVC_MX_PRIVATE",
  "SVC_OBJECT_STORAGE",
  "SVC_OPERATOR_EMAIL",
  "SVC_OTLP_URL",
  "SVC_PORT",
  "SVC_PROCESSES",
  "SVC_READY_FILE",
  "SVC_REQUIRE_TWO_FACTORS",
  "SVC_ROLES",
  "SVC_SECRET_KEY",
  "SVC_SECRET_KEY_PREVIOUS",
  "SVC_SHAPING_FILE",
  "SVC_SMTP_HOST",
  "SVC_SMTP_PORTS",
  "SVC_SMTP_URL",
  "SVC_STORE",
  "SVC_STORE_DIRECT",
  "SVC_SYSTEM_ACCOUNT",
  "SVC_SYSTEM_SENDER",
  "SVC_TLS_CERT",
  "SVC_TLS_KEY",
  "SVC_TRUSTED_PROXIES",
  "SVC_WEBHOOK_ALLOW_PRIVATE"
] as const

/** The name of a variable. */
export type Variable = (typeof variables)[number]

const prefix = "SVC_"

/** Variables that the documentation uses for programs that call the service, and those of the service's tests. */
const ofOthers = /^SVC_(?:KEY|API_KEY|TEST_.*)$/

/** The maximum number of names in warnings, and the maximum length that is shown. */
const maxNames = 10
const maxName = 100

/** Warnings about the first variables that begin with `SVC_` but are not read by anything. Values are not shown. */
export const unknownVariables = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known: ReadonlyArray<string> = variables
  const settings = known.map((name) => name.slice(prefix.length))
  return names
    .filter((name) => name.startsWith(prefix) && !known.includes(name) && !ofOthers.test(name))
    .toSorted()
    .slice(0, maxNames)
    .map((name) => {
      const like = nearest(name.slice(prefix.length), settings)
      const shown = name.slice(0, maxName).replace(/[^\x21-\x7e]/g, "?")
      return `${shown} is no variable of the service${like === null ? "" : `; did you mean ${prefix}${like}?`}`
    })
}
