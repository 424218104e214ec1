/**
 * The installation's base URL and mail host, with which the core writes links and envelopes.
 *
 * @module
 */
import { Context } from "effect"

/** The public address of the installation. */
export class PublicEndpoint extends Context.Service<
  PublicEndpoint,
  {
    /** The base URL, without a trailing slash. Set once the server listens. */
    readonly baseUrl: () => string
    /** True where no one else can reach the base URL, as in tests; otherwise its host decides (`isLoopbackUrl`). */
    readonly isLocal?: boolean
    /**
     * The name of the service as a mail host, lower case: its SMTP greeting uses it, and return-path records point to it.
     */
    readonly mailHost: string
    /** True where that is only the machine's own name, which others cannot look up: live domains cannot be added. */
    readonly isMailHostUnknown?: boolean
    /** Whether live mail leaves through a relay, from addresses that are not the service's. */
    readonly isRelayed?: boolean
    /** Whether the service receives delivery reports (`SVC_INBOUND_PORT`). */
    readonly takesReports: boolean
  }
>()("svc/kernel/PublicEndpoint") {}
