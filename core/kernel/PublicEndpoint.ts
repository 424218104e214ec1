/**
 * Where this installation is reached from outside: what the core needs to know of it to write links and envelopes.
 *
 * @module
 */
import { Context } from "effect"

/** Where the installation is reached. */
export class PublicEndpoint extends Context.Service<
  PublicEndpoint,
  {
    /** The URL the service is reached at, without a slash at its end. Known once the server listens. */
    readonly baseUrl: () => string
    /**
     * The name the service has as a mail host: it introduces itself with it, and return-path records point to it.
     * Lower case.
     */
    readonly mailHost: string
    /** Whether reports of receiving servers come in (`SVC_INBOUND_PORT`). */
    readonly takesReports: boolean
  }
>()("svc/sending/PublicEndpoint") {}
