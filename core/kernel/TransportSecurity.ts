/**
 * Decides how connections to a domain's mail servers must be encrypted, before they are made.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { HostTerms, TlsLevel, TlsSession } from "../model/TlsTerms.ts"

/** A request for the terms of a domain's mail servers. */
export interface TermsRequest {
  /** The account whose mail is sent; empty for mail of the service itself. */
  readonly accountId: string
  readonly domain: string
  /** The names of the mail servers. */
  readonly hosts: ReadonlyArray<string>
  /** The level that applies if the domain has no policy. */
  readonly level: TlsLevel
}

/** The terms of each host; `Busy` if they are not known yet, so that the delivery is retried without counting an attempt. */
export type DomainTerms =
  | { readonly _tag: "Hosts"; readonly of: (host: string) => HostTerms }
  | { readonly _tag: "Busy"; readonly waitMillis: number }

/** Decides the terms and counts connections. By default no domain has a policy. */
export interface TransportSecurityShape {
  readonly terms: (request: TermsRequest) => Effect.Effect<DomainTerms>
  /** Counts a connection. Returns at once. */
  readonly observe: (session: TlsSession) => void
}

/** The terms of a host without a policy. */
export const termsOfLevel = (level: TlsLevel): HostTerms => ({
  policy: "no-policy-found",
  refusal: null,
  isRequired: level !== "offered",
  certificate: level === "verified" ? { _tag: "Issued" } : null,
  isTesting: false,
  errors: { noTls: "tls_required", certificate: "tls_certificate" }
})

/** Called for each connection, in addition to the metrics; by default without effect. It returns at once. */
export const TlsObserver = Context.Reference<(session: TlsSession) => void>("svc/kernel/TlsObserver", {
  defaultValue: () => () => undefined
})

/** The service that transports ask. Provided where mail is sent directly to recipients' servers. */
export const TransportSecurity = Context.Reference<TransportSecurityShape>("svc/kernel/TransportSecurity", {
  defaultValue: () => ({
    terms: ({ level }) => Effect.succeed({ _tag: "Hosts", of: () => termsOfLevel(level) }),
    observe: () => undefined
  })
})
