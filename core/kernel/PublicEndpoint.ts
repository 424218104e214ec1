/**
 * The installation's base URL and mail host, from which the core builds links and envelopes.
 *
 * @module
 */
import { Context } from "effect"

/** The public address of the installation. */
export class PublicEndpoint extends Context.Service<
  PublicEndpoint,
  {
    /** The base URL, without a trailing slash. Set when the server starts to listen. */
    readonly baseUrl: () => string
    /** True if no one else can reach the base URL, as in tests. If absent, its host decides (`isLoopbackUrl`). */
    readonly isLocal?: boolean
    /** The service's name as a mail host, lower case. Its SMTP greeting uses the name, and return-path records point to it. */
    readonly mailHost: string
    /** True if `mailHost` is only the machine's own name, which others cannot look up. Live domains cannot be added then. */
    readonly isMailHostUnknown?: boolean
    /** Whether live mail is sent through a relay, from addresses that are not the service's. */
    readonly isRelayed?: boolean
    /** Whether the service receives delivery reports (`SVC_INBOUND_PORT`). */
    readonly takesReports: boolean
  }
>()("svc/kernel/PublicEndpoint") {}
