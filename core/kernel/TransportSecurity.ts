/**
 * Decides how connections to the mail servers of a domain must be encrypted, before they are made.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { HostTerms, TlsLevel, TlsSession } from "../model/TlsTerms.ts"

/** What is asked about a domain. */
export interface TermsRequest {
  /** Whose mail it is for; empty for that of the service itself. */
  readonly accountId: string
  readonly domain: string
  /** The names of its mail servers. */
  readonly hosts: ReadonlyArray<string>
  /** What holds where the domain has no policy. */
  readonly level: TlsLevel
}

/** The terms of each host; `Busy` when they are not known yet: the delivery is tried again without an attempt. */
export type DomainTerms =
  | { readonly _tag: "Hosts"; readonly of: (host: string) => HostTerms }
  | { readonly _tag: "Busy"; readonly waitMillis: number }

/** Decides and counts; by default no domain has a policy. */
export interface TransportSecurityShape {
  readonly terms: (request: TermsRequest) => Effect.Effect<DomainTerms>
  /** Counts a connection. Returns at once. */
  readonly observe: (session: TlsSession) => void
}

/** The terms of hosts without a policy. */
export const termsOfLevel = (level: TlsLevel): HostTerms => ({
  policy: "no-policy-found",
  refusal: null,
  isRequired: level !== "offered",
  certificate: level === "verified" ? { _tag: "Issued" } : null,
  isTesting: false,
  errors: { noTls: "tls_required", certificate: "tls_certificate" }
})

/** Called with each connection, besides the metrics; by default without effect. It returns at once. */
export const TlsObserver = Context.Reference<(session: TlsSession) => void>("svc/kernel/TlsObserver", {
  defaultValue: () => () => undefined
})

/** Where transports ask; provided to them where mail goes straight to recipients. */
export const TransportSecurity = Context.Reference<TransportSecurityShape>("svc/kernel/TransportSecurity", {
  defaultValue: () => ({
    terms: ({ level }) => Effect.succeed({ _tag: "Hosts", of: () => termsOfLevel(level) }),
    observe: () => undefined
  })
})
